//! The branch of an attempt.

use gix::ObjectId;
use gix::refs::transaction::{Change, PreviousValue, RefEdit, RefLog};
use gix::refs::{FullName, Target};

use super::WorktreeError;
use crate::git::commit::CommitError;
use crate::git::commit::own_locks::change_shared;

pub(super) fn full_name(branch: &str) -> Result<FullName, CommitError> {
    FullName::try_from(format!("refs/heads/{branch}"))
        .map_err(|error| CommitError::git("name a branch")(gix::Error::from_error(error)))
}

/// The commit that a branch is at; `None` if there is no such branch.
pub(super) fn tip_of(repo: &gix::Repository, branch: &str) -> Result<Option<ObjectId>, CommitError> {
    let fail = CommitError::git("read a branch");
    let found = repo.try_find_reference(full_name(branch)?.as_ref()).map_err(&fail)?;
    found.map(|mut found| found.peel_to_id().map(gix::Id::detach)).transpose().map_err(fail)
}

/// Creates the branch, unless it already is at `tip`.
pub(super) fn create_branch(
    repo: &gix::Repository,
    branch: &str,
    full: &FullName,
    tip: ObjectId,
) -> Result<(), WorktreeError> {
    let fail = CommitError::git("create a branch");
    repo.find_commit(tip).map_err(&fail)?;
    let expected = PreviousValue::ExistingMustMatch(Target::Object(tip));
    let edit = RefEdit::update(full.clone(), tip, expected, "branch: created by canonry for an attempt");
    match change_shared(repo, Some(tip), || repo.edit_reference(edit))? {
        Ok(_) => Ok(()),
        Err(source) if source.is_retryable() => Err(CommitError::RefLocked { source }.into()),
        Err(source) => match tip_of(repo, branch)? {
            Some(other) if other != tip => Err(WorktreeError::BranchTaken { branch: branch.to_owned(), tip: other }),
            _ => Err(fail(source).into()),
        },
    }
}

/// Moves the branch, unless it moved in the meantime.
pub(super) fn move_branch(
    repo: &gix::Repository,
    full: &FullName,
    from: ObjectId,
    to: ObjectId,
) -> Result<(), CommitError> {
    let expected = PreviousValue::ExistingMustMatch(Target::Object(from));
    let edit = RefEdit::update(full.clone(), to, expected, "branch: moved by canonry to the work of its attempt");
    match change_shared(repo, Some(to), || repo.edit_reference(edit))? {
        Ok(_) => Ok(()),
        Err(source) if source.is_retryable() => Err(CommitError::RefLocked { source }),
        Err(source) if source.is_conflict() => Err(CommitError::Moved { name: full.shorten().to_owned(), source }),
        Err(source) => Err(CommitError::git("move a branch")(source)),
    }
}

/// Deletes the branch unless it has moved.
pub(super) fn delete_branch(repo: &gix::Repository, branch: &str, tip: ObjectId) -> Result<(), CommitError> {
    let change =
        Change::Delete { expected: PreviousValue::MustExistAndMatch(Target::Object(tip)), log: RefLog::AndReference };
    let edit = RefEdit { change, name: full_name(branch)?, deref: false };
    match change_shared(repo, None, || repo.edit_reference(edit))? {
        Ok(_) => Ok(()),
        Err(source) if source.is_retryable() => Err(CommitError::RefLocked { source }),
        Err(source) if source.is_conflict() => Err(CommitError::Moved { name: branch.into(), source }),
        Err(source) => Err(CommitError::git("delete a branch")(source)),
    }
}
