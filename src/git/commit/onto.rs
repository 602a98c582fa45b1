//! Committing onto a branch that is not checked out.
//!
//! The named paths, as they are in the work tree, are put on top of that branch. HEAD and the index know nothing of it.

use gix::refs::FullName;

use super::head::CommitBase;
use super::plan::CommitPlan;
use super::record::{CommitDraft, write_tree};
use super::{CommitError, CommitRequest, Committed, begin, commit, committed, preflight, select};

/// Commits the selected paths as they are in the work tree onto a branch, also those that git ignores in the work tree:
/// another branch may have them all the same. `None` if they do not differ from its tip. A branch that is not there begins
/// with a commit that holds those paths alone. HEAD, the index and what is staged stay as they are, unless the branch is
/// the one that is checked out here: then it is [`commit`].
///
/// # Errors
///
/// See [`commit`]; and [`CommitError::BranchInUse`] where another work tree has the branch checked out.
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
    let plan = CommitPlan::make_of_all(repo, &index, &mut base, &candidates)?;
    if plan.changes.is_empty() {
        return Ok(None);
    }
    let tree = write_tree(repo, &base, &plan)?;
    let draft = CommitDraft { tree, parent: base.parent, people: &people, message: &message };
    let id = draft.write(repo)?;
    draft.advance(repo, name, id)?;
    Ok(Some(committed(id, tree, plan)))
}

/// Says whether [`commit_onto`] could be done at this moment, without writing anything and without taking a lock.
///
/// # Errors
///
/// The error that [`commit_onto`] would give.
pub fn ready_onto(repo: &gix::Repository, branch: &str) -> Result<(), CommitError> {
    if is_checked_out(repo, branch) {
        return preflight::ready(repo);
    }
    preflight::people(repo)?;
    preflight::unoccupied(repo)?;
    full(branch)?;
    free(repo, branch)
}

/// Whether a branch is the one that is checked out here, born or not.
pub fn is_checked_out(repo: &gix::Repository, branch: &str) -> bool {
    let head = repo.head_name().ok().flatten();
    head.zip(full(branch).ok()).is_some_and(|(head, name)| head == name)
}

/// No other work tree has it. One that cannot be opened has nothing that could be taken for an undoing.
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
