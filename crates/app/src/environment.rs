//! Everything a job takes from outside the repository: folders, the clock, cancellation.

use canonry_model::canon::timestamp::Timestamp;
use canonry_repo::exec::is_executable;
use canonry_repo::git::commit::GitHooks;
use canonry_repo::view::parsed_plans::ParsedPlans;
use canonry_text::RepoPath;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The surroundings of a job.
#[derive(Clone, Debug)]
pub struct Environment {
    /// The folder that relative paths start from.
    pub cwd: PathBuf,
    /// Which repository the job works in.
    pub scope: RepositoryScope,
    /// The folder of the repository whose canon the job works on; empty for the repository's own canon.
    pub base: RepoPath,
    /// The path of the user's own config, whether or not it exists.
    pub user_config: Option<PathBuf>,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// The folders that tools use in place of their own in the user's home, by the name of the latter: `.codex` for
    /// `CODEX_HOME`.
    pub tool_homes: BTreeMap<&'static str, PathBuf>,
    /// The user's state folder (`$XDG_STATE_HOME`), whether or not it exists.
    pub state: Option<PathBuf>,
    /// The project folders that agents' tools name in variables of their hooks.
    pub project_dirs: Vec<PathBuf>,
    /// The variable by which an agent's tool shows that it started this process.
    pub agent: Option<&'static str>,
    /// The folders of commands, as in `$PATH`.
    pub path: Option<OsString>,
    /// Where the current time comes from.
    pub clock: Clock,
    /// Which of git's hooks a commit runs.
    pub git_hooks: GitHooks,
    /// Becomes true when the job should stop, for example on Ctrl-C.
    pub cancel: Arc<AtomicBool>,
    /// Plans that were parsed before.
    pub plans: Arc<ParsedPlans>,
}

impl Environment {
    /// A file of a tool in the user's home, such as `.codex/config.toml`.
    pub fn user_file(&self, path: &str) -> Option<PathBuf> {
        let (folder, below) = path.split_once('/').unwrap_or((path, ""));
        // Claude Code keeps `.claude.json` beside its folder, or inside the one that replaces it.
        match (self.tool_homes.get(folder), self.tool_homes.get(".claude")) {
            (Some(home), _) => Some(home.join(below)),
            (None, Some(claude)) if path == ".claude.json" => Some(claude.join(path)),
            _ => Some(self.home.as_ref()?.join(path)),
        }
    }

    /// Surroundings without a user: no home, no configuration, the folder `/`.
    pub fn isolated() -> Self {
        Self {
            cwd: PathBuf::from("/"),
            scope: RepositoryScope::Discovered,
            base: RepoPath::default(),
            user_config: None,
            home: None,
            tool_homes: BTreeMap::new(),
            state: None,
            project_dirs: Vec::new(),
            agent: None,
            path: None,
            clock: Clock::System,
            git_hooks: GitHooks::default(),
            cancel: Arc::default(),
            plans: Arc::default(),
        }
    }

    /// Skips the hooks that can refuse a commit, as `git commit --no-verify` does.
    #[must_use]
    pub fn no_verify(&self, skip: bool) -> Self {
        let git_hooks = match self.git_hooks {
            GitHooks::Run if skip => GitHooks::NoVerify,
            other => other,
        };
        Self { git_hooks, ..self.clone() }
    }

    /// The file of a program on PATH.
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        let folders = std::env::split_paths(self.path.as_ref()?);
        // A relative folder could be one of the repository.
        let mut files = folders.filter(|folder| folder.is_absolute()).map(|folder| folder.join(name));
        files.find(|file| is_executable(file))
    }

    /// Whether the job should stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}

/// Which repository a job works in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepositoryScope {
    /// The repository that git finds from the folder, `GIT_DIR` and its like included.
    Discovered,
    /// The repository around the folder, whatever `GIT_DIR` says: it is one of several.
    Standalone,
    /// The user's own canon, which is in no repository.
    User,
}

/// Where the current time comes from.
#[derive(Clone, Copy, Debug)]
pub enum Clock {
    /// The system's clock.
    System,
    /// A fixed time.
    Fixed(Timestamp),
}

impl Clock {
    /// The current time.
    pub fn now(&self) -> Timestamp {
        match self {
            Self::System => Timestamp::from(jiff::Timestamp::now()),
            Self::Fixed(stamp) => *stamp,
        }
    }
}
