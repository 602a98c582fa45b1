//! Commits named paths, as `git commit --only` does.

#[cfg(doc)]
use crate::ErrorKind;
use crate::{Environment, Error};
pub use canonry_repo::git::commit::{ChangeKind, CommitRequest, CommitSelection, Committed, CommittedChange, GitHooks};

/// Commits the selected paths as they are in the work tree of the repository around `environment.cwd`; `None` if they do
/// not differ from `HEAD`.
///
/// Everything else that is staged stays staged. git's hooks run as the request says. If the process is killed, the repository is in the
/// state before or after the commit.
///
/// # Errors
/// - [`ErrorKind::Contention`]: another process holds a lock or moved the branch.
/// - [`ErrorKind::Refused`]: the message is empty, a merge or rebase is in progress, or a path has a conflict, is in another
///   repository, or is no file.
/// - [`ErrorKind::Unreadable`]: there is no repository, git knows no author, or a pathspec is invalid.
/// - [`ErrorKind::Internal`]: the repository is bare, or the file system, a filter or git's data failed. Only then can the
///   commit exist already; the message mentions it.
pub fn run(environment: &Environment, request: &CommitRequest<'_>) -> Result<Option<Committed>, Error> {
    let repo = canonry_repo::git::open::open(&environment.cwd)?;
    Ok(canonry_repo::git::commit::commit(&repo, request)?)
}

/// [`run`], which can be repeated: if there is nothing to commit, a run that was killed may have moved `HEAD` alone, and the
/// index follows at these paths.
///
/// # Errors
/// See [`run`].
pub(crate) fn run_or_stage(environment: &Environment, request: &CommitRequest<'_>) -> Result<Option<Committed>, Error> {
    let committed = run(environment, request)?;
    if committed.is_none() {
        let repo = canonry_repo::git::open::open(&environment.cwd)?;
        canonry_repo::git::commit::restage(&repo, request.selection)?;
    }
    Ok(committed)
}
