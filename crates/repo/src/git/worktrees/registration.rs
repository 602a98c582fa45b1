//! A linked work tree as the repository knows it: a folder, and a private git directory below `.git/worktrees`.

use std::io;
use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice;

use crate::fs as writes;
use crate::fs::lock::HeldLock;
use crate::git::commit::CommitError;

/// The reason with which git and gix lock a work tree while they create it.
pub(super) const INITIALIZING: &str = "initializing";

/// A linked work tree, whether or not its folder exists.
pub(super) struct Registration {
    pub folder: PathBuf,
    pub git_dir: PathBuf,
    /// The branch that it is on, without `refs/heads/`.
    branch: Option<String>,
}

impl Registration {
    /// All linked work trees. Those whose folder cannot be read are skipped.
    pub fn all(repo: &gix::Repository) -> Result<Vec<Self>, CommitError> {
        let proxies = repo.worktrees().map_err(CommitError::git("list the work trees"))?;
        Ok(proxies.iter().filter_map(Self::read).collect())
    }

    /// The work tree at a folder.
    pub fn at(repo: &gix::Repository, folder: &Path) -> Result<Option<Self>, CommitError> {
        let folder = real(folder);
        Ok(Self::all(repo)?.into_iter().find(|tree| real(&tree.folder) == folder))
    }

    fn read(proxy: &gix::worktree::Proxy<'_>) -> Option<Self> {
        let folder = proxy.base().ok()?;
        let git_dir = proxy.git_dir().to_owned();
        // A registration that was interrupted has no HEAD.
        let head = crate::fs::read(git_dir.join("HEAD")).unwrap_or_default();
        let branch = head.trim().strip_prefix(b"ref: refs/heads/").and_then(|name| name.to_str().ok());
        Some(Self { folder, branch: branch.map(str::to_owned), git_dir })
    }

    pub fn is_on(&self, branch: &str) -> bool {
        self.branch.as_deref() == Some(branch)
    }

    /// Opens the work tree with the options of `repo`.
    pub fn open(&self, repo: &gix::Repository) -> Result<gix::Repository, CommitError> {
        let fail = CommitError::git("open a work tree");
        let proxies = repo.worktrees().map_err(&fail)?;
        let proxy = proxies.into_iter().find(|proxy| proxy.git_dir() == self.git_dir);
        let missing = || fail(gix::Error::from_error(io::Error::from(io::ErrorKind::NotFound)));
        proxy.ok_or_else(missing)?.into_repo_with_possibly_inaccessible_worktree().map_err(&fail)
    }

    /// Whether creation was interrupted before the checkout was complete. Nobody has worked in such a tree.
    pub fn is_unfinished(&self) -> bool {
        !self.git_dir.join("index").exists()
    }

    /// Why git must not remove the work tree, if a user or a tool has locked it.
    pub fn lock_reason(&self) -> Result<Option<String>, CommitError> {
        let path = self.git_dir.join("locked");
        let reason = crate::fs::read_if_exists(&path).map_err(|source| CommitError::File { path, source })?;
        Ok(reason.map(|reason| reason.trim().to_str_lossy().into_owned()))
    }
}

/// Removes registrations at or below a folder that were interrupted before they had a commit. They contain only what git needs to
/// find the work tree, and while there is one, git cannot fetch: its HEAD is no object. The caller has the exclusive lock.
pub(super) fn drop_half_registered(repo: &gix::Repository, folder: &Path) -> Result<(), CommitError> {
    let folder = real(folder);
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| CommitError::File { path, source }
    };
    for found in Registration::all(repo)?.iter().filter(|tree| real(&tree.folder).starts_with(&folder)) {
        // gix begins with a null id: <https://docs.rs/gix/0.90.0/src/gix/worktree/add.rs.html#242>.
        let head = crate::fs::read(found.git_dir.join("HEAD")).unwrap_or_default();
        let has_commit = head.trim().iter().any(|byte| *byte != b'0');
        if has_commit || found.lock_reason()?.as_deref() != Some(INITIALIZING) {
            continue;
        }
        let link = found.folder.join(".git");
        if std::fs::symlink_metadata(&link).is_ok_and(|disk| disk.is_file()) {
            writes::remove_file(&link).map_err(io(&link))?;
        }
        // One that is not empty stays.
        let _ = writes::remove_dir(&found.folder);
        writes::remove_dir_all(&found.git_dir).map_err(io(&found.git_dir))?;
    }
    Ok(())
}

/// Resolves links as far as the path exists.
pub(super) fn real(path: &Path) -> PathBuf {
    crate::git::config::real(path).unwrap_or_else(|_| path.to_owned())
}

/// Held while a work tree is added or removed. gix cannot read a registration that another thread is writing.
pub(super) fn exclusive(repo: &gix::Repository) -> Result<HeldLock, CommitError> {
    exclusive_in(repo.common_dir())
}

/// The same for a common directory.
pub(super) fn exclusive_in(common_dir: &Path) -> Result<HeldLock, CommitError> {
    let path = common_dir.join("canonry/worktrees.lock");
    HeldLock::take(&path).map_err(|source| CommitError::File { path, source })
}
