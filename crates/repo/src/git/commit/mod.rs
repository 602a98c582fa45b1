//! Commits, in the way of `git commit --only`.
//!
//! The given paths are committed on top of HEAD as they are in the work tree. Everything else that is staged stays
//! staged. The index is locked from start to end. Before HEAD moves, only unreferenced objects are written; HEAD moves
//! only if it did not change in the meantime.

pub(super) mod content;
mod edit;
mod error;
pub(super) mod head;
mod hooks;
pub(super) mod index;
mod onto;
pub(super) mod own_locks;
pub(super) mod plan;
pub(super) mod preflight;
pub(super) mod record;
pub(super) mod request;
mod select;
pub(super) mod staging;
#[cfg(test)]
pub(crate) mod tests;
pub(super) mod worktree;

pub use error::{CommitError, CommitErrorKind};
pub use hooks::INSIDE_HOOK;
pub use onto::{commit_onto, is_checked_out, ready_onto};
pub use preflight::{committer, operation_in_progress, ready, unoccupied};
pub use request::{ChangeKind, CommitRequest, CommitSelection, Committed, CommittedChange, ContentEdit, GitHooks};
pub use staging::{Staging, ToStage};

use gix::bstr::BString;

/// Commits the selected paths as they are in the work tree. `None` if they do not differ from HEAD; index and
/// references are then unchanged.
///
/// git's hooks run as [`GitHooks`] says; they may change the message and stage further changes. Other processes see the state before or after the commit, except for a moment in which HEAD is
/// new and the index still old.
///
/// # Errors
/// See [`CommitError`]; [`CommitError::kind`] gives the class. No lock is left behind. Unreferenced objects may stay
/// in the object database until git's garbage collection removes them.
pub fn commit(repo: &gix::Repository, request: &CommitRequest<'_>) -> Result<Option<Committed>, CommitError> {
    commit_holding(repo, request, index::HeldIndex::acquire)
}

/// [`commit`] with another way to take the lock on the index.
pub(super) fn commit_holding(
    repo: &gix::Repository,
    request: &CommitRequest<'_>,
    acquire: impl FnOnce(&gix::Repository) -> Result<index::HeldIndex, CommitError>,
) -> Result<Option<Committed>, CommitError> {
    prepare_holding(repo, request, acquire)?.map(PreparedCommit::finish).transpose()
}

/// Everything of [`commit`] up to its tree, which the caller can look at. Nothing refers to the tree yet, and dropping the
/// commit leaves index and references unchanged.
///
/// # Errors
/// See [`commit`].
pub fn prepare<'r>(
    repo: &'r gix::Repository,
    request: &CommitRequest<'_>,
) -> Result<Option<PreparedCommit<'r>>, CommitError> {
    prepare_holding(repo, request, index::HeldIndex::acquire)
}

fn prepare_holding<'r>(
    repo: &'r gix::Repository,
    request: &CommitRequest<'_>,
    acquire: impl FnOnce(&gix::Repository) -> Result<index::HeldIndex, CommitError>,
) -> Result<Option<PreparedCommit<'r>>, CommitError> {
    let (people, message) = begin(repo, request)?;
    let held = acquire(repo)?;
    // These operations take the same lock, so the answer stays true from here on.
    preflight::unoccupied(repo)?;
    let mut base = head::CommitBase::read(repo)?;
    let candidates = select::candidates(repo, &held.index, &base, request.selection)?;
    let mut plan = plan::CommitPlan::make(repo, &held.index, &mut base, &candidates)?;
    let edited = edit::EditedFile::put(repo, &held.index, &mut base, &mut plan, request.selection)?;
    if plan.changes.is_empty() {
        return Ok(None);
    }
    let hooks = hooks::Hooks::open(repo, request.hooks);
    let mut tree = record::write_tree(repo, &base, &plan)?;
    let mut changed_by_hook = Vec::new();
    if let Some(staged) = hooks.pre_commit(&held.index, tree, &plan)? {
        changed_by_hook = staged.paths();
        let staged_by_user = staged.apply(&held.index, &mut base, &mut plan)?;
        tree = record::write_tree(repo, &base, &plan)?;
        plan.outcomes.retain(|path, _| !staged_by_user.contains(path));
    }
    if let Some(edited) = edited.filter(|edited| !changed_by_hook.contains(edited.path)) {
        edited.stage(&mut plan);
    }
    if plan.changes.is_empty() {
        return Ok(None);
    }
    let parent = base.parent;
    Ok(Some(PreparedCommit { repo, people, message, held, hooks, parent, plan, tree, changed_by_hook }))
}

/// A commit whose tree is written. The index is locked.
pub struct PreparedCommit<'r> {
    repo: &'r gix::Repository,
    people: preflight::Signatures<'r>,
    message: String,
    held: index::HeldIndex,
    hooks: hooks::Hooks<'r>,
    parent: Option<gix::ObjectId>,
    plan: plan::CommitPlan,
    tree: gix::ObjectId,
    changed_by_hook: Vec<BString>,
}

impl PreparedCommit<'_> {
    /// The tree of the commit.
    pub fn tree(&self) -> gix::ObjectId {
        self.tree
    }

    /// The paths that the `pre-commit` hook staged or unstaged.
    pub fn changed_by_hook(&self) -> &[BString] {
        &self.changed_by_hook
    }

    /// A commit with this tree, which nothing refers to. git's hooks do not see it.
    ///
    /// # Errors
    /// See [`commit`].
    pub fn preview(&self) -> Result<gix::ObjectId, CommitError> {
        let parents = self.parent.into_iter().collect();
        let draft = record::CommitDraft { tree: self.tree, parents, people: &self.people, message: &self.message };
        draft.write(self.repo)
    }

    /// Makes the commit.
    ///
    /// # Errors
    /// See [`commit`].
    pub fn finish(mut self) -> Result<Committed, CommitError> {
        let message = self.hooks.message(self.message)?;
        if message.is_empty() {
            return Err(CommitError::EmptyMessage);
        }
        let parents = self.parent.into_iter().collect();
        let draft = record::CommitDraft { tree: self.tree, parents, people: &self.people, message: &message };
        let id = draft.write(self.repo)?;
        // Written before HEAD moves, so that only a rename can fail afterwards.
        self.held.write(self.repo, &self.plan.outcomes)?;
        draft.advance_head(self.repo, id)?;
        self.held.publish(id)?;
        self.hooks.post_commit();
        Ok(committed(id, self.tree, self.plan))
    }
}

/// Checks the preconditions: the author, the state of the repository, and the message.
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

/// [`ready`], hooks that can be started, and a commit of the tree of HEAD that nothing refers to, which is signed as configured:
/// a signature that fails is found before there is work to commit. Returns the hooks that are not executable.
///
/// # Errors
/// See [`ready`]; [`CommitError::Sign`] and [`CommitError::HookNotRun`].
pub fn trial(repo: &gix::Repository, hooks: GitHooks) -> Result<Vec<std::path::PathBuf>, CommitError> {
    ready(repo)?;
    let ignored = hooks::Hooks::open(repo, hooks).check()?;
    let base = head::CommitBase::read(repo)?;
    let tree = repo.head_tree_id_or_empty().map_err(CommitError::git("read HEAD"))?.detach();
    let people = preflight::people(repo)?;
    let message = "canonry: try to commit\n";
    record::CommitDraft { tree, parents: base.parent.into_iter().collect(), people: &people, message }.write(repo)?;
    Ok(ignored)
}

/// Updates the index at the selected paths as `git add` does. For a run after one that was killed when HEAD was new
/// and the index still old, for which [`commit`] finds nothing to do.
///
/// # Errors
/// See [`commit`]. The index is then unchanged.
pub fn restage(repo: &gix::Repository, selection: CommitSelection<'_>) -> Result<(), CommitError> {
    restage_holding(repo, selection, index::HeldIndex::acquire)
}

/// [`restage`] with another way to take the lock on the index.
pub(super) fn restage_holding(
    repo: &gix::Repository,
    selection: CommitSelection<'_>,
    acquire: impl FnOnce(&gix::Repository) -> Result<index::HeldIndex, CommitError>,
) -> Result<(), CommitError> {
    let mut held = acquire(repo)?;
    preflight::unoccupied(repo)?;
    let mut base = head::CommitBase::read(repo)?;
    let candidates = select::candidates(repo, &held.index, &base, selection)?;
    let mut plan = plan::CommitPlan::make(repo, &held.index, &mut base, &candidates)?;
    if let Some(edited) = edit::EditedFile::put(repo, &held.index, &mut base, &mut plan, selection)? {
        edited.stage(&mut plan);
    }
    held.write(repo, &plan.outcomes)?;
    held.publish(base.parent.unwrap_or_else(|| repo.object_hash().null()))
}
