//! The one way that canonry commits: as `git commit --only` does it.
//!
//! The named paths, as they are in the work tree, are put on top of HEAD. Whatever else is staged stays staged and out
//! of the commit. The lock of the index is held from the begin to the end; nothing but unreferenced objects is written
//! before HEAD moves, and HEAD moves only if it is still where it was at the begin.

mod content;
mod error;
mod head;
mod index;
mod onto;
mod plan;
mod preflight;
mod record;
mod request;
mod select;
mod staging;
#[cfg(test)]
pub(crate) mod tests;
mod worktree;

pub use error::{CommitError, CommitErrorKind};
pub use onto::{commit_onto, is_checked_out, ready_onto};
pub use preflight::{committer, ready, unoccupied};
pub use request::{ChangeKind, CommitRequest, Committed, CommittedChange, Selection};
pub use staging::{Staging, ToStage};

/// Commits the selected paths as they are in the work tree. `None` if they do not differ from HEAD; then index and
/// references stay as they are, byte for byte.
///
/// No hooks are run. A reader of the repository sees either the state before or the state after the commit, with one
/// exception: for a moment HEAD is already new while the index is still old.
///
/// # Errors
///
/// See [`CommitError`]; [`CommitError::kind`] gives the class. No lock is left behind. Objects that were written before
/// the error may stay in the object database, where git's garbage collection finds them.
pub fn commit(repo: &gix::Repository, request: &CommitRequest<'_>) -> Result<Option<Committed>, CommitError> {
    let (people, message) = begin(repo, request)?;
    let mut held = index::HeldIndex::acquire(repo)?;
    // Whatever begins such an operation takes the same lock, so that from here on the answer stays true.
    preflight::unoccupied(repo)?;
    let mut base = head::CommitBase::read(repo)?;
    let candidates = select::candidates(repo, &held.index, &base, request.selection)?;
    let plan = plan::CommitPlan::make(repo, &held.index, &mut base, &candidates)?;
    if plan.changes.is_empty() {
        return Ok(None);
    }
    let draft = record::CommitDraft {
        tree: record::write_tree(repo, &base, &plan)?,
        parent: base.parent,
        people: &people,
        message: &message,
    };
    let id = draft.write(repo)?;
    // Before HEAD moves, so that nothing but a rename is left that could fail after it.
    held.write(repo, &plan.outcomes)?;
    draft.advance_head(repo, id)?;
    held.publish(id)?;
    Ok(Some(committed(id, draft.tree, plan)))
}

/// What is asked before anything else: who commits, whether one may, and what is said.
fn begin<'r>(
    repo: &'r gix::Repository,
    request: &CommitRequest<'_>,
) -> Result<(preflight::Signatures<'r>, String), CommitError> {
    let people = preflight::people(repo)?;
    preflight::unoccupied(repo)?;
    let message = request::clean_message(request.message);
    if message.is_empty() {
        return Err(CommitError::EmptyMessage);
    }
    Ok((people, message))
}

fn committed(id: gix::ObjectId, tree: gix::ObjectId, plan: plan::CommitPlan) -> Committed {
    let changes = plan.changes.into_iter().map(|(path, kind)| CommittedChange { path, kind });
    Committed { id, tree, changes: changes.collect() }
}

/// Brings the index up to date with the work tree at the selected paths, as `git add` does: for a run that finds that an
/// earlier one was killed when HEAD was new and the index still old. [`commit`] finds nothing to do then.
///
/// # Errors
///
/// See [`commit`]. Then the index is as it was.
pub fn restage(repo: &gix::Repository, selection: Selection<'_>) -> Result<(), CommitError> {
    let mut held = index::HeldIndex::acquire(repo)?;
    preflight::unoccupied(repo)?;
    let mut base = head::CommitBase::read(repo)?;
    let candidates = select::candidates(repo, &held.index, &base, selection)?;
    let plan = plan::CommitPlan::make(repo, &held.index, &mut base, &candidates)?;
    held.write(repo, &plan.outcomes)?;
    held.publish(base.parent.unwrap_or_else(|| repo.object_hash().null()))
}
