//! The work trees of attempts.

use super::attempt_folder;
use crate::{Error, ErrorKind, Workspace};
use canonry_repo::git::worktrees::{self, AttemptName, AttemptTree};
use gix::ObjectId;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Creates the work tree of an attempt, at the last commit.
///
/// # Errors
/// [`ErrorKind::Refused`] if there is no commit to start from; also if git refuses.
pub(crate) fn fork(workspace: &Workspace, name: &AttemptName, cancel: &AtomicBool) -> Result<AttemptTree, Error> {
    let head = last_commit(workspace)?;
    let repo = workspace.repo()?;
    let folder = attempt_folder(&workspace.env, repo);
    Ok(worktrees::create(repo, &folder, name, head, cancel)?)
}

/// The folder of an attempt's work tree; `None` if the name is too long for one.
///
/// # Errors
/// There is no repository.
pub(crate) fn tree_folder(workspace: &Workspace, name: &AttemptName) -> Result<Option<PathBuf>, Error> {
    Ok(name.folder(&attempt_folder(&workspace.env, workspace.repo()?)))
}

/// The last commit of the branch that is checked out.
///
/// # Errors
/// [`ErrorKind::Refused`] if it has no commit.
pub(crate) fn last_commit(workspace: &Workspace) -> Result<ObjectId, Error> {
    let missing = || {
        Error::new(ErrorKind::Refused, "a work tree needs a commit to start from").help("commit, then run this again")
    };
    let repo = workspace.repo().map_err(|_| missing())?;
    repo.head_id().map(gix::Id::detach).map_err(|_| missing())
}
