//! Writing a plan, and the locks that record it.

use crate::sync::state::SyncState;
use crate::{Error, ErrorKind, Workspace};
use canonry_agents::ManagedPart;
use canonry_mirror::adopt::Adoption;
use canonry_mirror::written::WrittenChange;
use canonry_mirror::{Lock, Refusal, SyncPlan};
use canonry_model::canon::{Blob, FileState};
use canonry_model::edit::{Edit, OverwriteMode};
use canonry_repo::apply::{Applied, Session, WritePlan, lock_edit};
use canonry_repo::view::{Basis, PathKind};
use canonry_text::RepoPath;
use gix::bstr::ByteSlice;
use std::collections::HashSet;

/// Maximum number of plans of a sync while files change.
const MAX_ATTEMPTS: usize = 5;

/// Edits, and the locks before and after them.
pub struct LockedEdits<'a> {
    /// The edits, in order.
    pub edits: &'a [Edit],
    /// Paths whose content is backed up first.
    pub back_up: &'a [RepoPath],
    /// Files that canonry owned before.
    pub before: &'a Lock,
    /// The lock as it is.
    pub recorded: &'a Lock,
    /// Files that canonry owns after all edits.
    pub after: &'a Lock,
    /// Paths that the run leaves alone although they differ.
    pub refused: &'a [Refusal],
    /// Whether a lock that does not exist stays absent.
    pub owns_nothing: bool,
    /// Files that the run leaves to a person from now on, whatever an older sync wrote.
    pub left: &'a [RepoPath],
}

/// Writes a plan and its lock.
///
/// # Errors
/// See [`canonry_repo::apply::ApplyError`].
fn write_plan(
    workspace: &Workspace,
    session: &mut Session,
    state: &SyncState,
    plan: &SyncPlan,
) -> Result<Applied, Error> {
    let edits = LockedEdits {
        edits: &plan.edits,
        back_up: &plan.forced,
        before: &state.survey.lock,
        recorded: &state.survey.recorded,
        refused: &plan.refused,
        after: &plan.lock,
        owns_nothing: state.owns_nothing(plan),
        // Without a lock, nothing says that a file which no skill has is still canonry's.
        left: if state.survey.has_lock { &[] } else { &plan.unowned },
    };
    write_edits(workspace, session, &edits)
}

/// Writes a plan. Whoever changes files at the same time, such as an editor that saves often, is synced with them: `state`
/// and `plan` are then those of the last attempt. Content that is overwritten by force is seen by a person first.
///
/// # Errors
/// See [`canonry_repo::apply::ApplyError`].
pub fn write_until_settled(
    workspace: &Workspace,
    session: &mut Session,
    state: &mut SyncState,
    plan: &mut SyncPlan,
    overwrite: OverwriteMode,
) -> Result<Applied, Error> {
    let mut applied = write_plan(workspace, session, state, plan)?;
    for _ in 1..MAX_ATTEMPTS {
        if applied.conflicts.is_empty() || overwrite == OverwriteMode::Force {
            break;
        }
        *state = SyncState::load(workspace, &workspace.open_view(&Basis::WorkTree)?, session.pending())?;
        *plan = state.plan(overwrite);
        let next = write_plan(workspace, session, state, plan)?;
        applied.continue_with(next);
    }
    Ok(applied)
}

/// Writes edits and then the lock. The journal names the parts of shared files that canonry will own.
///
/// # Errors
/// See [`canonry_repo::apply::ApplyError`].
pub fn write_edits(workspace: &Workspace, session: &mut Session, edits: &LockedEdits<'_>) -> Result<Applied, Error> {
    session.expect_parts(managed_parts(edits.after));
    let refused: Vec<RepoPath> = edits.refused.iter().map(|refusal| refusal.path.clone()).collect();
    let written = edits.after.with_entries_from(&Lock::default(), &refused);
    let locks = lock_changes(workspace, edits.after, edits.owns_nothing);
    let mut changes = changes_between(edits.recorded, &written, edits.edits);
    changes.extend(edits.left.iter().map(|path| (path.clone(), None)));
    session.remember(&changes, &written)?;
    let plan = WritePlan { edits: edits.edits, back_up: edits.back_up, locks };
    let applied = session.apply(&workspace.view, &plan, &workspace.env.cancel)?;
    let own = [workspace.layout.lock(), workspace.layout.local_lock()];
    let is_lock_changed = applied.conflicts.iter().any(|path| own.contains(path));
    if !applied.conflicts.is_empty() && !is_lock_changed {
        // A file that was not written is not owned; one that was not removed still is.
        let conflicts = with_parts(&applied.conflicts, [edits.before, edits.after]);
        let lock = edits.after.with_entries_from(edits.before, &conflicts);
        let plan = WritePlan { edits: &[], back_up: &[], locks: lock_changes(workspace, &lock, true) };
        session.apply(&workspace.view, &plan, &workspace.env.cancel)?;
    }
    Ok(applied)
}

/// Writes the canon files of an adoption together with `other_edits`, and then the lock, which only names mirrors whose
/// content is in the canon.
///
/// # Errors
/// A canon file changed since the adoption was planned, or see [`canonry_repo::apply::ApplyError`].
pub fn write_adoption(
    workspace: &Workspace,
    session: &mut Session,
    adoption: &Adoption,
    other_edits: &[Edit],
) -> Result<Applied, Error> {
    let cancel = &workspace.env.cancel;
    let edits: Vec<Edit> = adoption.edits.iter().chain(other_edits).cloned().collect();
    let plan = WritePlan { edits: &edits, back_up: &adoption.back_up, locks: Vec::new() };
    // Applying an empty plan would clear the journal of an unfinished run before the lock is written.
    let mut applied =
        if edits.is_empty() { Applied::default() } else { session.apply(&workspace.view, &plan, cancel)? };
    let is_adopted = |path: &&RepoPath| adoption.edits.iter().any(|edit| edit.path() == *path);
    if let Some(path) = applied.conflicts.iter().find(is_adopted) {
        let message = format!("{path}: the file changed during this run; nothing was overwritten");
        return Err(Error::new(ErrorKind::Refused, message).help("check its content, then run this again"));
    }
    session.remember(&changes_between(&Lock::default(), &adoption.lock, &[]), &adoption.lock)?;
    let locks = lock_changes(workspace, &adoption.lock, adoption.lock.is_empty());
    let back_up = if edits.is_empty() { adoption.back_up.as_slice() } else { &[] };
    let locked = session.apply(&workspace.view, &WritePlan { edits: &[], back_up, locks }, cancel)?;
    applied.backups.extend(locked.backups);
    Ok(applied)
}

/// Written states, for the record: the owned files among the edits, and the new lines of the lock.
pub fn changes_between(recorded: &Lock, after: &Lock, edits: &[Edit]) -> Vec<WrittenChange> {
    if edits.is_empty() && recorded == after {
        return Vec::new();
    }
    let is_new = |(path, state): &&(RepoPath, FileState)| !recorded.states(path).any(|known| known == *state);
    let edited = edits.iter().filter(|edit| edit.now().is_none() || after.owns(edit.path()));
    let edited = edited.map(|edit| (edit.path().clone(), edit.now()));
    let claimed = after.entries().iter().filter(is_new).map(|(path, state)| (path.clone(), Some(*state)));
    let paths: HashSet<&RepoPath> = edits.iter().map(Edit::path).collect();
    let claimed = claimed.filter(|(path, _)| !paths.contains(path));
    edited.chain(claimed).collect()
}

/// The lock entries that name a part of a shared file.
fn managed_parts(lock: &Lock) -> Vec<(RepoPath, FileState)> {
    lock.entries().iter().filter(|(path, _)| ManagedPart::from_lock_path(path).is_some()).cloned().collect()
}

/// The paths, and the lock entries for parts of them.
fn with_parts(paths: &[RepoPath], locks: [&Lock; 2]) -> Vec<RepoPath> {
    let is_part_of_paths = |(path, _): &(RepoPath, FileState)| {
        ManagedPart::from_lock_path(path).filter(|(file, _)| paths.contains(file)).map(|_| path.clone())
    };
    let parts = locks.into_iter().flat_map(|lock| lock.entries()).filter_map(is_part_of_paths);
    paths.iter().cloned().chain(parts).collect()
}

/// The edits of the locks that change. The order makes sure that an entry that moves from one lock to the other is never
/// missing from both.
pub fn lock_changes(workspace: &Workspace, lock: &Lock, owns_nothing: bool) -> Vec<Edit> {
    let view = &workspace.view;
    let shared = || {
        let (path, text) = shared_lock_change(workspace, lock, owns_nothing)?;
        lock_edit(view, path, Some(text))
    };
    let path = workspace.layout.local_lock();
    if workspace.config.files.git.ignore {
        let local = changed_text(workspace, &path, &lock.in_mirrors(), owns_nothing);
        let local = local.and_then(|text| lock_edit(view, path, Some(text)));
        return local.into_iter().chain(shared()).collect();
    }
    // The entries of the local lock move to the shared one.
    let local = (view.kind(&path) == PathKind::File).then(|| lock_edit(view, path, None)).flatten();
    shared().into_iter().chain(local).collect()
}

/// The new text of the committed lock, if it changes.
pub fn shared_lock_change(workspace: &Workspace, lock: &Lock, owns_nothing: bool) -> Option<(RepoPath, Vec<u8>)> {
    let path = workspace.layout.lock();
    let text = if workspace.config.files.git.ignore {
        // The lock exists even if it is empty; a commit without it would look as if sync had never run.
        changed_text(workspace, &path, &lock.outside_mirrors(), false)
    } else {
        changed_text(workspace, &path, lock, owns_nothing)
    };
    text.map(|text| (path, text))
}

/// A difference in line endings alone, which a checkout may cause, is not a change.
fn changed_text(workspace: &Workspace, path: &RepoPath, lock: &Lock, owns_nothing: bool) -> Option<Vec<u8>> {
    let text = lock.to_text();
    let is_same = match workspace.view.read(path, u64::MAX) {
        Blob::Bytes(before) => before.lines().eq(text.lines()),
        Blob::Missing(_) => owns_nothing,
    };
    (!is_same).then_some(text)
}
