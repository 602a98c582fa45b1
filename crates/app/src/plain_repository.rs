//! A repository read from the plain disk, without git's index and objects: opening those would take longer than a hook has.

use crate::configuration::{ConfigReader, Configured, own, settle, unreadable_config};
use crate::trust::store::{TrustStore, digest, repository_identity};
use crate::{Environment, Error};
use canonry_guard::matching::path::PathRoots;
use canonry_guard::policy::UntrustedFile;
use canonry_guard::{CallContext, Policy, ToolCall};
use canonry_model::canon::blob::BlobError;
use canonry_model::canon::constraint::SkillConstraint;
use canonry_model::canon::permissions::{PermissionSubject, Verdict, binds_nothing};
use canonry_model::canon::presence::is_canon;
use canonry_model::canon::{Blob, FileSource, Layout};
use canonry_model::config::{Config, EffectiveHooks, HooksConfig};
use canonry_repo::apply::pending_log::PendingLog;
use canonry_repo::git::worktrees::common_dir;
use canonry_repo::view::load::{DOCUMENT_LIMIT, PERMISSIONS_LIMIT};
use canonry_repo::view::{DiskSource, skill_constraints};
use canonry_text::RepoPath;
use std::cell::RefCell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A directory whose calls are judged: a repository with a work tree, or a directory outside of any.
pub struct PlainRepository {
    /// The top of its work tree.
    pub top: PathBuf,
    /// The git directory of this work tree; `None` outside of any repository.
    pub git_dir: Option<PathBuf>,
    /// The layout of the canon.
    pub layout: Layout,
    /// The config; the defaults if it is invalid. Of `hooks`, only what counts.
    pub config: Config,
    /// Why the config is invalid.
    pub config_error: Option<Error>,
    /// The repository's own config, if that counts.
    pub config_file: Option<RepoFile>,
    /// The user's own settings.
    own: HooksConfig,
    /// The settings of the repository's config as written.
    stated: HooksConfig,
    /// The keys of the config that do not count, because the user does not trust it.
    ignored: Vec<&'static str>,
    /// The user's state folder.
    state: Option<PathBuf>,
}

/// A file of the repository and its content.
#[derive(Clone, Debug)]
pub struct RepoFile {
    pub path: RepoPath,
    pub bytes: Vec<u8>,
}

impl PlainRepository {
    /// Finds the repository around a directory, as git does; `None` if there is none.
    pub fn find(from: &Path, env: &Environment) -> Option<Self> {
        from.ancestors().find_map(|top| Self::open(top, env))
    }

    /// The innermost repository around a directory, and the innermost one with a canon, if that is another.
    pub fn around(from: &Path, env: &Environment) -> Vec<Self> {
        let mut all = from.ancestors().filter_map(|top| Self::open(top, env));
        let Some(first) = all.next() else { return Vec::new() };
        let with_canon = if first.has_canon() { None } else { all.find(Self::has_canon) };
        [first].into_iter().chain(with_canon).collect()
    }

    /// A directory outside of any repository: only the user's own config applies.
    pub fn outside(top: &Path, env: &Environment) -> Self {
        let (own, config_error) = own_config(env);
        Self {
            top: top.to_owned(),
            git_dir: None,
            layout: Layout::default(),
            own: own.hooks.clone(),
            stated: own.hooks.clone(),
            config: own,
            config_error,
            config_file: None,
            ignored: Vec::new(),
            state: env.state.clone(),
        }
    }

    fn open(top: &Path, env: &Environment) -> Option<Self> {
        let dot_git = top.join(".git");
        let meta = fs::metadata(&dot_git).ok()?;
        // The policy applies even if the file cannot be read: then only the state in the git directory is not found.
        let linked = || linked_git_dir(top, &canonry_repo::fs::read_to_string(&dot_git).unwrap_or_default());
        let git_dir = if meta.is_dir() { dot_git.clone() } else { linked() };
        let files = DiskSource::new(top);
        let last: RefCell<Option<RepoFile>> = RefCell::default();
        let read = |path: &RepoPath| match files.read(path, DOCUMENT_LIMIT) {
            Blob::Bytes(bytes) => {
                last.replace(Some(RepoFile { path: path.clone(), bytes: bytes.clone() }));
                Ok(Some(bytes))
            }
            Blob::Missing(BlobError::Absent) => Ok(None),
            Blob::Missing(error) => Err(unreadable_config(path, error)),
        };
        let reader = ConfigReader { base: &RepoPath::default(), read: &read };
        let user_config = env.user_config.as_deref();
        let configured = read(&"canonry.local.yaml".into()).and_then(|local| settle(user_config, local, &reader));
        let config_file = last.take();
        let (config, layout, mut config_error) = match configured {
            Ok(Configured { config, layout, .. }) => (config, layout, None),
            Err(error) => (Config::default(), Layout::default(), Some(error)),
        };
        let (own, own_error) = own_config(env);
        config_error = config_error.or(own_error);
        let mut found = Self {
            top: top.to_owned(),
            git_dir: Some(git_dir),
            layout,
            stated: config.hooks.clone(),
            config,
            config_error,
            config_file,
            own: own.hooks,
            ignored: Vec::new(),
            state: env.state.clone(),
        };
        found.limit_settings();
        Some(found)
    }

    /// Reduces the settings of the repository's config to those that count.
    fn limit_settings(&mut self) {
        let Some(file) = &self.config_file else { return };
        let hooks = &self.stated;
        let stated = &self.config.stated_hooks;
        let EffectiveHooks { mut settings, mut ignored } = hooks.on_top_of(&self.own, stated, false);
        if !ignored.is_empty() && self.trusts(file) {
            EffectiveHooks { settings, ignored } = hooks.on_top_of(&self.own, stated, true);
        }
        self.config.hooks = settings;
        self.ignored = ignored;
    }

    /// The keys of the repository's config that are looser than the user's own settings, trusted or not.
    pub fn loosened_settings(&self) -> Vec<&'static str> {
        let stated = self.stated.on_top_of(&self.own, &self.config.stated_hooks, false);
        if self.config_file.is_some() { stated.ignored } else { Vec::new() }
    }

    /// Whether the user trusts the content of a file. The list is read only for files that need it.
    fn trusts(&self, file: &RepoFile) -> bool {
        // A list that cannot be read trusts nothing.
        let store = TrustStore::load(self.state.as_deref()).unwrap_or_default();
        store.trusts(&self.identity(), &file.path.to_display(), &digest(&file.bytes))
    }

    /// The name of the repository in lists of the user: its git directory without links. Work trees share it.
    pub fn identity(&self) -> String {
        repository_identity(self.git_dir.as_deref().unwrap_or(&self.top))
    }

    /// The pending log; `None` outside of any repository.
    pub fn pending_log(&self) -> Option<PendingLog> {
        self.git_dir.as_deref().map(|git_dir| PendingLog::new(&common_dir(git_dir)))
    }

    /// `permissions.md`; `None` if it does not exist or cannot be read.
    pub fn permissions_file(&self) -> Option<RepoFile> {
        let path = self.layout.permissions();
        let bytes = DiskSource::new(&self.top).read(&path, PERMISSIONS_LIMIT).into_bytes()?;
        Some(RepoFile { path, bytes })
    }

    /// The branch that is checked out, if known.
    pub fn branch(&self) -> Option<String> {
        let head = canonry_repo::fs::read_to_string(self.git_dir.as_ref()?.join("HEAD")).unwrap_or_default();
        head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
    }

    /// Whether the repository has a canon.
    pub fn has_canon(&self) -> bool {
        let is_named = self.config.root.is_some() && self.path_on_disk(self.layout.root()).is_dir();
        is_named || is_canon(&DiskSource::new(&self.top), &self.layout)
    }

    /// The path of a file on disk.
    pub fn path_on_disk(&self, path: &RepoPath) -> PathBuf {
        self.top.join(path.to_display())
    }

    /// The team's protocols and the constraints of skills, as far as they can apply to a call: a constraint names commands.
    pub fn policy_for(&self, call: &ToolCall) -> Policy {
        let mut policy = self.policy();
        if matches!(call, ToolCall::Shell { .. }) {
            self.add_constraints(&mut policy);
        }
        policy
    }

    /// Adds the constraints of skills.
    pub fn add_constraints(&self, policy: &mut Policy) {
        for (path, constraint) in self.skill_constraints() {
            policy.add_constraint(&path, &constraint);
        }
    }

    /// The constraints of all skills with the paths of their `SKILL.md`.
    pub fn skill_constraints(&self) -> Vec<(RepoPath, SkillConstraint)> {
        if self.git_dir.is_none() {
            return Vec::new();
        }
        skill_constraints::load(&self.top, &self.layout.skills())
    }

    /// The team's protocols. Unreadable files are listed in [`Policy::load_errors`].
    pub fn policy(&self) -> Policy {
        let mut policy = Policy::new(self.layout.clone(), self.config.hooks.clone());
        let files = DiskSource::new(&self.top);
        let permissions = self.layout.permissions();
        match files.read(&permissions, PERMISSIONS_LIMIT) {
            Blob::Bytes(bytes) => match String::from_utf8(bytes) {
                Ok(text) => self.add_permissions(&mut policy, text),
                Err(_) => policy.load_errors.push(format!("{permissions}: it is not UTF-8")),
            },
            Blob::Missing(BlobError::Absent) => {}
            Blob::Missing(error @ BlobError::TooLarge { .. }) => {
                policy.over_limit = Some(format!("{permissions}: {error}"));
            }
            Blob::Missing(error) => policy.load_errors.push(format!("{permissions}: {error}")),
        }
        for path in self.tool_schemas(&mut policy.load_errors) {
            match files.read(&path, DOCUMENT_LIMIT) {
                Blob::Bytes(bytes) => policy.add_tool_schema(path, bytes),
                Blob::Missing(BlobError::Absent) => {}
                Blob::Missing(error) => policy.load_errors.push(format!("{path}: {error}")),
            }
        }
        policy.load_errors.extend(self.config_error.as_ref().map(|error| error.message.clone()));
        policy.untrusted.extend(self.untrusted_config());
        policy
    }

    /// Adds the page. Entries that allow something loosen what the user wants if the user's own settings ask about unlisted
    /// calls, or approve allowed ones; then they count only if the user trusts the page.
    fn add_permissions(&self, policy: &mut Policy, text: String) {
        if binds_nothing(&text) {
            policy.load_errors.push(format!("{}: no entry of the page can be enforced", self.layout.permissions()));
        }
        policy.add_permissions(text.clone());
        let allows = |entry: &canonry_model::canon::permissions::PermissionEntry| {
            entry.decision == Verdict::Allow && !matches!(entry.subject, PermissionSubject::Domain(_))
        };
        let loosens = self.config.hooks.allow || self.own.unknown > Verdict::Allow;
        if !loosens || !policy.entries.iter().any(|listed| allows(&listed.entry)) {
            return;
        }
        let file = RepoFile { path: self.layout.permissions(), bytes: text.into_bytes() };
        if self.trusts(&file) {
            return;
        }
        policy.settings.allow = false;
        if self.own.unknown > Verdict::Allow {
            policy.entries.retain(|listed| !allows(&listed.entry));
        }
        let what = format!("{}: its always-allowed entries", file.path);
        policy.untrusted.push(self.untrusted(&file, &what));
    }

    fn untrusted_config(&self) -> Option<UntrustedFile> {
        let file = self.config_file.as_ref().filter(|_| !self.ignored.is_empty())?;
        let keys: Vec<String> = self.ignored.iter().map(|key| format!("`{key}`")).collect();
        Some(self.untrusted(file, &format!("{}: {}", file.path, keys.join(", "))))
    }

    fn untrusted(&self, file: &RepoFile, what: &str) -> UntrustedFile {
        let verb = if what.ends_with("entries") || what.contains(", ") { "loosen" } else { "loosens" };
        let message = format!(
            "{what} {verb} the guards, which does not count until you trust the file; review it, then run `canonry trust` in {}",
            self.top.display()
        );
        UntrustedFile { digest: digest(&file.bytes), message }
    }

    /// The schemas directly in the directory of tool schemas and beside the permissions, by name.
    fn tool_schemas(&self, errors: &mut Vec<String>) -> Vec<RepoPath> {
        let folders = [(self.layout.tool_schemas(), ".json"), (self.layout.protocols(), ".schema.json")];
        let files = DiskSource::new(&self.top);
        let mut found = Vec::new();
        for (folder, end) in folders {
            if !files.is_inside(&folder.join("x")) {
                continue;
            }
            let entries =
                match fs::read_dir(self.path_on_disk(&folder)).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
                    Ok(entries) => entries,
                    Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => continue,
                    Err(e) => {
                        errors.push(format!("{folder}: {e}"));
                        continue;
                    }
                };
            let names = entries.iter().map(fs::DirEntry::file_name);
            let mut names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
            names.retain(|name| name.ends_with(end));
            names.sort();
            found.extend(names.iter().map(|name| folder.join(name)));
        }
        found
    }

    /// The surroundings of a tool call that is made in `cwd`.
    pub fn call_context(&self, cwd: &Path, home: Option<&Path>) -> CallContext {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let top = text(&self.top);
        let real = fs::canonicalize(&self.top).ok().map(|real| text(&real)).filter(|real| *real != top);
        let roots = PathRoots { top, real, home: home.map(text), others: Vec::new() };
        CallContext { roots, cwd: text(cwd), branch: self.branch(), own_folders: Vec::new() }
    }
}

/// The user's own config; the defaults with the reason if it is invalid.
fn own_config(env: &Environment) -> (Config, Option<Error>) {
    match own(env.user_config.as_deref()) {
        Ok(config) => (config.unwrap_or_default(), None),
        Err(error) => (Config::default(), Some(error)),
    }
}

/// The git directory that the `.git` file of a linked work tree or a submodule names.
fn linked_git_dir(top: &Path, text: &str) -> PathBuf {
    let path = text.trim().strip_prefix("gitdir:").unwrap_or_default().trim();
    top.join(path)
}
