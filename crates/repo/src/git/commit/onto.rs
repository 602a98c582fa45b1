//! Commits to a branch that is not checked out.
//!
//! The given paths are committed on top of that branch as they are in the work tree. HEAD and the index do not change.

use gix::refs::FullName;

use super::edit::EditedFile;
use super::head::CommitBase;
use super::own_locks::remove_left_locks;
use super::plan::CommitPlan;
use super::record::{CommitDraft, write_tree};
use super::{CommitError, CommitRequest, Committed, begin, commit, committed, preflight, select};

/// Commits the selected paths to a branch, including paths that git ignores in the work tree, because the other branch
/// may track them. `None` if they do not differ from its tip. A new branch starts with a commit of these paths alone.
/// HEAD, the index and staged changes stay as they are, unless the branch is checked out here: then this is
/// [`commit`].
///
/// # Errors
/// See [`commit`]; [`CommitError::BranchInUse`] if another work tree has the branch checked out.
pub fn commit_onto(
    repo: &gix::Repository,
    branch: &str,
    request: &CommitRequest<'_>,
) -> Result<Option<Committed>, CommitError> {
    if is_checked_out(repo, branch) {
        return commit(repo, request);
    }
    let (people, message) = begin(repo, request)?;
    free(repo, branch)?;
    let name = full(branch)?;
    let index = repo.index_or_empty().map_err(CommitError::git("read the index"))?;
    let mut base = CommitBase::read_branch(repo, name.as_ref())?;
    let candidates = select::candidates(repo, &index, &base, request.selection)?;
    let mut plan = CommitPlan::make_including_ignored(repo, &index, &mut base, &candidates)?;
    EditedFile::put(repo, &index, &mut base, &mut plan, request.selection)?;
    if plan.changes.is_empty() {
        return Ok(None);
    }
    let tree = write_tree(repo, &base, &plan)?;
    let draft = CommitDraft { tree, parents: base.parent.into_iter().collect(), people: &people, message: &message };
    let id = draft.write(repo)?;
    draft.advance(repo, name, id)?;
    Ok(Some(committed(id, tree, plan)))
}

/// Whether [`commit_onto`] is possible now, without locking anything. Removes locks that a killed run left.
///
/// # Errors
/// The error of [`commit_onto`].
pub fn ready_onto(repo: &gix::Repository, branch: &str) -> Result<(), CommitError> {
    if is_checked_out(repo, branch) {
        return preflight::ready(repo);
    }
    preflight::people(repo)?;
    preflight::unoccupied(repo)?;
    full(branch)?;
    remove_left_locks(repo)?;
    free(repo, branch)
}

/// Whether a branch is checked out here, even if it is unborn.
pub fn is_checked_out(repo: &gix::Repository, branch: &str) -> bool {
    // gix opens no repository without a valid HEAD, and an invalid name is the name of no branch.
    let head = repo.head_name().ok().flatten();
    head.zip(full(branch).ok()).is_some_and(|(head, name)| head == name)
}

/// Checks that no other work tree has the branch checked out. Work trees that cannot be opened are ignored.
fn free(repo: &gix::Repository, branch: &str) -> Result<(), CommitError> {
    let others = repo.worktrees_including_main().map_err(CommitError::git("list the work trees"))?;
    for other in others.flatten().filter(|other| is_checked_out(other, branch)) {
        if let Some(at) = other.workdir().filter(|at| at.is_dir()) {
            return Err(CommitError::BranchInUse { branch: branch.to_owned(), at: at.to_owned() });
        }
    }
    Ok(())
}

fn full(branch: &str) -> Result<FullName, CommitError> {
    FullName::try_from(format!("refs/heads/{branch}"))
        .map_err(|error| CommitError::Git { doing: "name the branch", source: gix::Error::from_error(error) })
}
