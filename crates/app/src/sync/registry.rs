//! Writes the list of the skills, `skills/_index.md` and `skills/_manifest.jsonl`, without syncing the mirrors.

use crate::diffs::{FileDiff, forcible_diffs};
use crate::sync::outcome::{SyncRefusal, SyncRefusalReason};
use crate::sync::request::SyncMode;
use crate::sync::state::SyncState;
use crate::sync::write::{changes_between, lock_changes};
use crate::{Error, ErrorKind, Workspace};
use canonry_mirror::{Lock, SyncPlan};
use canonry_model::edit::OverwriteMode;
use canonry_repo::apply::{Applied, Session, WritePlan};
use canonry_text::RepoPath;
use std::path::PathBuf;

/// State of the two files of the registry.
#[derive(Debug)]
pub struct RegistryOutcome {
    /// Files that were written, or that are out of date in a preview.
    pub written: Vec<RepoPath>,
    /// Files that were left alone.
    pub refused: Vec<SyncRefusal>,
    /// Files that were overwritten by force, each with its backup.
    pub backups: Vec<(RepoPath, PathBuf)>,
    /// The differences that were refused. Empty in a preview.
    pub refused_diffs: Vec<FileDiff>,
}

/// Writes the two files, whether or not the config asks for them. From then on every sync keeps them up to date.
///
/// # Errors
/// Another run holds the lock, an earlier sync is unfinished, or the lock holds a merge conflict.
pub fn write_registry(
    mut workspace: Workspace,
    mode: SyncMode,
    overwrite: OverwriteMode,
) -> Result<RegistryOutcome, Error> {
    workspace.config.skills_index = Some(true);
    if mode == SyncMode::Preview {
        let state = SyncState::load(&workspace, &workspace.view, Vec::new())?;
        let plan = registry_plan(&state, overwrite);
        return Ok(outcome(plan, Applied::default(), Vec::new()));
    }
    let mut session = Session::begin(&workspace.git_dir()?)?;
    session.sweep(&workspace.view)?;
    if !session.pending().is_empty() {
        // Writing would replace the journal that tells that run's files from the user's edits.
        let error = Error::new(ErrorKind::Refused, "an earlier sync was interrupted");
        return Err(error.help("run `canonry sync` to finish it, then run this again"));
    }
    let state = SyncState::load(&workspace, &workspace.view, Vec::new())?;
    if state.survey.lock_conflict {
        let message = format!("{}: the lock holds a merge conflict", workspace.layout.lock());
        return Err(Error::new(ErrorKind::Unreadable, message).help("run `canonry sync`, which resolves it"));
    }
    let plan = registry_plan(&state, overwrite);
    let diffs = forcible_diffs(&workspace.view, &plan);
    let applied = write(&workspace, &mut session, &state, &plan)?;
    Ok(outcome(plan, applied, diffs))
}

/// The part of the plan of a sync that is about the two files.
fn registry_plan(state: &SyncState, overwrite: OverwriteMode) -> SyncPlan {
    let files = &state.survey.registry;
    let mut plan = state.plan(overwrite);
    plan.edits.retain(|edit| files.contains(edit.path()));
    plan.refused.retain(|refusal| files.contains(&refusal.path));
    plan.forced.retain(|path| files.contains(path));
    plan.lock = state.survey.lock.with_entries_from(&plan.lock, files);
    plan
}

/// A lock is not created: the repository would look as if it had been synced. The first lines of the files show that
/// canonry wrote them.
fn write(workspace: &Workspace, session: &mut Session, state: &SyncState, plan: &SyncPlan) -> Result<Applied, Error> {
    session.remember(&changes_between(&state.survey.recorded, &plan.lock, &[]), &plan.lock)?;
    let locks = |lock: &Lock| if workspace.is_unsynced() { Vec::new() } else { lock_changes(workspace, lock, true) };
    let write_plan = WritePlan { edits: &plan.edits, back_up: &plan.forced, locks: locks(&plan.lock) };
    let applied = session.apply(&workspace.view, &write_plan, &workspace.env.cancel)?;
    if !applied.conflicts.is_empty() {
        let lock = plan.lock.with_entries_from(&state.survey.lock, &applied.conflicts);
        let write_plan = WritePlan { edits: &[], back_up: &[], locks: locks(&lock) };
        session.apply(&workspace.view, &write_plan, &workspace.env.cancel)?;
    }
    Ok(applied)
}

fn outcome(plan: SyncPlan, applied: Applied, refused_diffs: Vec<FileDiff>) -> RegistryOutcome {
    let written = plan.edits.iter().map(|edit| edit.path().clone());
    let written = written.filter(|path| !applied.conflicts.contains(path)).collect();
    let conflict = |path| SyncRefusal { path, reason: SyncRefusalReason::ChangedMeanwhile };
    let refused = plan.refused.into_iter();
    let refused = refused.map(|r| SyncRefusal { path: r.path, reason: SyncRefusalReason::Mirror(r.reason) });
    let refused = applied.changed().cloned().map(conflict).chain(refused).collect();
    RegistryOutcome { written, refused, backups: applied.backups, refused_diffs }
}
