//! What every command begins with: the repository, the view, the config.

use super::env::Env;
use super::error::CliError;
use super::status::Status;
use crate::apply::first_sync_is_due;
use crate::canon::blob::Missing;
use crate::canon::{Blob, Layout};
use crate::config::Config;
use crate::finding::Severity;
use crate::mirror::Root;
use crate::rules::{self, Profile};
use crate::syntax::{RepoPath, Source};
use crate::view::load::DOCUMENT_LIMIT;
use crate::view::locks::lock_of_mirrors;
use crate::view::{Basis, Kind, View};
use std::path::Path;

/// A repository opened for a command.
pub struct Context<'a> {
    /// The surroundings.
    pub env: &'a Env,
    /// The repository.
    pub repo: gix::Repository,
    /// The content that is looked at.
    pub view: View,
    /// What the team configures.
    pub config: Config,
    /// Where the canon is.
    pub layout: Layout,
    /// Where the config was found.
    pub origin: Origin,
}

/// Where a config was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// At the top of the repository.
    Top,
    /// In the canon.
    Canon,
    /// Nowhere in the repository: it is the user's own, or there is none.
    Elsewhere,
}

impl<'a> Context<'a> {
    /// Opens the repository around the current folder.
    ///
    /// # Errors
    /// No repository, no such revision, or a config that cannot be used.
    pub fn open(env: &'a Env, basis: &Basis) -> Result<Self, CliError> {
        let repo = crate::git::open::open(&env.cwd)?;
        let view = View::open(&repo, basis)?;
        let (config, layout, origin) = configure(env, &view, basis)?;
        Ok(Self { env, repo, view, config, layout, origin })
    }

    /// The severity of a rule in a file: the config's, else the profile's default.
    pub fn severity(&self, rule: &str, path: &RepoPath, profile: Profile) -> Severity {
        let default = || rules::find(rule).map_or(Severity::Error, |rule| rule.default_severity(profile));
        self.config.severity(rule, path).unwrap_or_else(default)
    }

    /// The repository's path of one that was given on the command line.
    ///
    /// # Errors
    /// A path outside the repository.
    pub fn inside(&self, given: &Path) -> Result<RepoPath, CliError> {
        let absolute = self.env.cwd.join(given);
        // The last component stays as it is: a link that is named is meant itself.
        let parent = absolute.parent().map_or_else(|| absolute.clone(), Path::to_path_buf);
        let real = match (std::fs::canonicalize(&parent), absolute.file_name()) {
            (Ok(parent), Some(name)) => parent.join(name),
            _ => std::fs::canonicalize(&absolute).unwrap_or_else(|_| lexical(&absolute)),
        };
        self.view.inside(&real).ok_or_else(|| {
            let message = format!("{} lies outside the repository", given.display());
            CliError::new(Status::Unreadable, message).help("name a path inside it, or run canonry in that repository")
        })
    }

    /// Whether `init` made the canon in this work tree, and no sync has followed.
    pub fn first_sync_is_due(&self) -> bool {
        let lock = || match self.view.read(&self.layout.lock(), u64::MAX) {
            Blob::Bytes(bytes) => Some(bytes),
            Blob::Missing(_) => None,
        };
        self.view.is_work_tree() && first_sync_is_due(self.repo.git_dir(), lock)
    }

    /// Whether the lock is not there that names what is ours in the mirrors.
    pub fn is_unsynced(&self) -> bool {
        self.view.kind(&lock_of_mirrors(&self.view, &self.layout, &self.config.files)) == Kind::Nothing
    }

    /// Whether there is a canon.
    ///
    /// # Errors
    /// There is none, or it is a link: git has nothing below a link, and what lies there may be anyone's.
    pub fn require_canon(&self) -> Result<(), CliError> {
        let skills = self.layout.skills();
        if let Root::LinkInside(_) | Root::LinkOutside(_) = self.view.root(&skills) {
            let message =
                format!("{skills} is a link, or lies below one; a canon is a folder of the repository itself");
            return Err(CliError::new(Status::Unreadable, message).help(
                "name the real folder with `root:` in canonry.yaml at the top, or move the skills to where the link is",
            ));
        }
        if self.view.kind(self.layout.root()) == Kind::Folder {
            return Ok(());
        }
        let message = format!("there is no canon here: the repository has no folder `{}`", self.layout.root());
        Err(CliError::new(Status::Unreadable, message)
            .help("run `canonry init`, or put skills into agent/skills/<name>/SKILL.md; name a canon that lies elsewhere with `root:` in canonry.yaml; or name paths to check"))
    }
}

/// For a path whose folder does not exist: `.` and `..` resolved by the text.
fn lexical(path: &Path) -> std::path::PathBuf {
    let mut out = std::path::PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                out.pop();
            }
            std::path::Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

/// The config of what is looked at.
fn configure(env: &Env, view: &View, basis: &Basis) -> Result<(Config, Layout, Origin), CliError> {
    // The local file is not committed, so that it says nothing about a commit.
    let local = (!matches!(basis, Basis::Commit(_))).then(|| RepoPath::from(LOCAL));
    let local = match local {
        Some(path) => view.on_disk(&path).map(|at| on_disk(&at)).transpose()?.flatten(),
        None => None,
    };
    settle(env.user_config.as_deref(), local, &|path| in_view(view, path))
}

/// The config that is not committed.
const LOCAL: &str = "canonry.local.yaml";

/// Reads a file of a repository.
type Reads<'a> = &'a dyn Fn(&RepoPath) -> Result<Option<Vec<u8>>, CliError>;

/// The first config there is, by the order of the design; files are not merged.
///
/// # Errors
/// It cannot be read, or says what cannot be.
pub(super) fn settle(
    user_config: Option<&Path>,
    local: Option<Vec<u8>>,
    read: Reads<'_>,
) -> Result<(Config, Layout, Origin), CliError> {
    let top = RepoPath::from("canonry.yaml");
    let top = match local {
        Some(text) => Some((text, RepoPath::from(LOCAL))),
        None => read(&top)?.map(|text| (text, top)),
    };
    if let Some((text, path)) = top {
        let config = parse(&path, text)?;
        let root = config.root.as_deref().map(RepoPath::from);
        let layout = root.map_or_else(Layout::default, Layout::new);
        return Ok((config, layout, Origin::Top));
    }
    let layout = Layout::default();
    let own = layout.config();
    let own_text = read(&own)?;
    let origin = if own_text.is_some() { Origin::Canon } else { Origin::Elsewhere };
    let found = match (own_text, user_config) {
        (Some(text), _) => Some((text, own)),
        (None, Some(path)) => on_disk(path)?.map(|text| (text, RepoPath::new(path.as_os_str().as_encoded_bytes()))),
        (None, None) => None,
    };
    let Some((text, path)) = found else { return Ok((Config::default(), layout, origin)) };
    let config = parse(&path, text)?;
    if config.root.is_some() {
        let message = format!("{path}: `root` can only be said in canonry.yaml at the top of the repository");
        return Err(CliError::new(Status::Unreadable, message).help("move the key there, or take it out"));
    }
    Ok((config, layout, origin))
}

/// `None` where nothing stands; only a file is opened, so that a pipe is never waited for.
pub(super) fn on_disk(path: &Path) -> Result<Option<Vec<u8>>, CliError> {
    let bytes = match std::fs::metadata(path) {
        Err(_) if std::fs::symlink_metadata(path).is_err() => return Ok(None),
        Err(e) => Err(e.to_string()),
        Ok(meta) if !meta.is_file() => Err(Missing::NotAFile.to_string()),
        Ok(_) => std::fs::read(path).map_err(|e| e.to_string()),
    };
    bytes.map(Some).map_err(|reason| no_config(path.display(), reason))
}

fn in_view(view: &View, path: &RepoPath) -> Result<Option<Vec<u8>>, CliError> {
    match view.read_kept(path, DOCUMENT_LIMIT) {
        Blob::Bytes(bytes) => Ok(Some(bytes)),
        Blob::Missing(Missing::Absent) => Ok(None),
        Blob::Missing(missing) => Err(no_config(path, missing)),
    }
}

fn no_config(path: impl std::fmt::Display, reason: impl std::fmt::Display) -> CliError {
    CliError::new(Status::Unreadable, format!("{path}: {reason}"))
        .help("mend the config or take it away; every key has a default")
}

fn parse(path: &RepoPath, bytes: Vec<u8>) -> Result<Config, CliError> {
    let unreadable = |message: String| CliError::new(Status::Unreadable, message);
    let source = Source::from_bytes(path.clone(), bytes).map_err(|e| unreadable(format!("{path}:{}: {e}", e.line)))?;
    let rules: Vec<&str> = rules::all().map(|rule| rule.id).collect();
    Config::parse(&source, &rules).map_err(|problems| {
        let say = |p: &crate::config::ConfigProblem| {
            let at = source.position(p.span.offset);
            format!("{path}:{}:{}: {}", at.line, at.column, p.message)
        };
        let all: Vec<String> = problems.iter().map(say).collect();
        unreadable(all.join("\n")).help(
            "the keys are root, targets, files, rules, overrides, mirrors, skills, memory and hooks; `canonry explain --list` names the rules",
        )
    })
}
