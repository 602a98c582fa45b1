//! What every command begins with: the repository, the view, the config.

pub use crate::app::configuration::Origin;
use crate::app::configuration::{Configured, configure};
use crate::app::user_canon;
use crate::app::{Environment, RepositoryScope};
use crate::app::{Error, ErrorKind};
use crate::apply::first_sync_is_due;
use crate::canon::{Blob, Layout};
use crate::config::{Config, Target};
use crate::finding::Severity;
use crate::mirror::MirrorRoot;
use crate::rules::{self, Profile};
use crate::syntax::RepoPath;
use crate::view::locks::lock_of_mirrors;
use crate::view::{Basis, GitSource, PathKind, View, ViewError};
use std::path::{Path, PathBuf};

/// A repository opened for a command.
pub struct Workspace {
    /// The surroundings.
    pub env: Environment,
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
    /// Targets that are configured and have no place here.
    pub placeless: Vec<Target>,
}

impl Workspace {
    /// Opens the repository around the current folder.
    ///
    /// # Errors
    /// No repository, no such revision, or a config that cannot be used.
    pub fn open(env: &Environment, basis: &Basis) -> Result<Self, Error> {
        let (repo, layout) = match env.scope {
            RepositoryScope::Discovered => (crate::git::open::open(&env.cwd)?, None),
            RepositoryScope::Standalone => (crate::git::open::open_alone(&env.cwd)?, None),
            RepositoryScope::User => user_canon::open(env).map(|(repo, layout)| (repo, Some(layout)))?,
        };
        let view = look(&repo, env, basis)?;
        let (configured, placeless) = match layout {
            Some(layout) => user_canon::configure(env, layout)?,
            None => (configure(env, &view, basis)?, Vec::new()),
        };
        let Configured { config, layout, origin } = configured;
        Ok(Self { env: env.clone(), repo, view, config, layout, origin, placeless })
    }

    /// Where what is canonry's own lies: git's folder, or one in it where the canon is that of a folder.
    pub fn git_dir(&self) -> PathBuf {
        let git_dir = self.repo.git_dir();
        let base = self.view.base();
        match gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, base.as_bstr()) {
            // By its hash, since a folder's path may be longer than a name can be.
            Ok(id) if !base.is_empty() => git_dir.join("canonry/nested").join(id.to_hex_with_len(16).to_string()),
            _ => git_dir.to_owned(),
        }
    }

    /// Another look at the same repository.
    ///
    /// # Errors
    /// See [`ViewError`].
    pub fn look(&self, basis: &Basis) -> Result<View, ViewError> {
        look(&self.repo, &self.env, basis)
    }

    /// The severity of a rule in a file: the config's, else the profile's default.
    pub fn severity(&self, rule: &str, path: &RepoPath, profile: Profile) -> Severity {
        rules::severity(&self.config, rule, path, profile)
    }

    /// The repository's path of one that was given on the command line.
    ///
    /// # Errors
    /// A path outside the repository.
    pub fn inside(&self, given: &Path) -> Result<RepoPath, Error> {
        let absolute = self.env.cwd.join(given);
        // The last component stays as it is: a link that is named is meant itself.
        let parent = absolute.parent().map_or_else(|| absolute.clone(), Path::to_path_buf);
        let real = match (std::fs::canonicalize(&parent), absolute.file_name()) {
            (Ok(parent), Some(name)) => parent.join(name),
            _ => std::fs::canonicalize(&absolute).unwrap_or_else(|_| lexical(&absolute)),
        };
        self.view.inside(&real).ok_or_else(|| {
            let base = self.view.base();
            let whole =
                if base.is_empty() { "the repository".to_owned() } else { format!("`{base}`, whose canon this is") };
            Error::new(ErrorKind::Unreadable, format!("{} lies outside {whole}", given.display()))
                .help("name a path inside it, or run canonry in that repository")
        })
    }

    /// Whether `init` made the canon in this work tree, and no sync has followed.
    pub fn first_sync_is_due(&self) -> bool {
        let lock = || match self.view.read(&self.layout.lock(), u64::MAX) {
            Blob::Bytes(bytes) => Some(bytes),
            Blob::Missing(_) => None,
        };
        self.view.is_work_tree() && first_sync_is_due(&self.git_dir(), lock)
    }

    /// Whether the lock is not there that names what is ours in the mirrors.
    pub fn is_unsynced(&self) -> bool {
        self.view.kind(&lock_of_mirrors(&self.view, &self.layout, &self.config.files)) == PathKind::Nothing
    }

    /// Whether there is a canon.
    ///
    /// # Errors
    /// There is none, or it is a link: git has nothing below a link, and what lies there may be anyone's.
    pub fn require_canon(&self) -> Result<(), Error> {
        let skills = self.layout.skills();
        if let MirrorRoot::LinkInside(_) | MirrorRoot::LinkOutside(_) = self.view.root(&skills) {
            let message =
                format!("{skills} is a link, or lies below one; a canon is a folder of the repository itself");
            return Err(Error::new(ErrorKind::Unreadable, message).help(match self.env.scope {
                RepositoryScope::User => "move the skills to where the link is",
                RepositoryScope::Discovered | RepositoryScope::Standalone => {
                    "name the real folder with `root:` in canonry.yaml at the top, or move the skills to where the link is"
                }
            }));
        }
        if self.view.kind(self.layout.root()) == PathKind::Folder {
            return Ok(());
        }
        let root = self.view.full(self.layout.root());
        let message = format!("there is no canon here: the repository has no folder `{root}`");
        Err(Error::new(ErrorKind::Unreadable, message)
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

fn look(repo: &gix::Repository, env: &Environment, basis: &Basis) -> Result<View, ViewError> {
    let source = GitSource::open(repo, basis, &env.base)?;
    // The repository that represents a home directory does not have the ignore rules of a repository in it.
    let source = if env.scope == RepositoryScope::User { source.include_ignored() } else { source };
    Ok(View::from_git(source, &env.base))
}
