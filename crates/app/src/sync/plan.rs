//! One plan for the mirrors and the managed parts of tool files.

use crate::{Error, Workspace};
use canonry_agents::{
    self as toolfiles, ManagedPart, PartConflict, RefusedPart, ToolFileContext, ToolFilePlan, ToolFileState,
};
use canonry_mirror::{self as mirror, DesiredFile, Lock, LockDrift, Refusal, RefusalReason, SyncPlan};
use canonry_model::canon::tree::blob_id;
use canonry_model::canon::{FileMode, FileState};
use canonry_model::config::is_mirror_path;
use canonry_model::edit::{Edit, EditContent, OverwriteMode};
use canonry_repo::view::survey::Survey;
use canonry_text::RepoPath;
use gix::ObjectId;
use gix::bstr::{BStr, ByteSlice};
use gix::hash::Kind;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Plans the edits. `hash` is the repository's object hash.
pub fn plan(survey: &Survey, overwrite: OverwriteMode, hash: Kind) -> SyncPlan {
    let lock = &survey.lock;
    let mut plan = mirror::plan(&survey.desired, &survey.actual, lock, overwrite);
    let mut tool_files = plan_tool_files(survey, overwrite, hash);
    leave_outside_checkout(survey, &mut tool_files, &mut plan);
    if !tool_files.edits.is_empty() {
        plan.edits.extend(tool_files.edits);
        plan.edits.sort_by_cached_key(|edit| (edit.now().is_some(), edit.path().clone()));
    }
    plan.refused.extend(tool_files.refused.into_iter().map(|refused| refusal(refused, hash)));
    plan.refused.sort_by(|a, b| a.path.cmp(&b.path));
    plan.forced.extend(tool_files.forced);
    plan.unchanged += tool_files.unchanged;
    plan.lock = plan.lock.with(tool_files.owned);
    let held_files = &survey.tool_files.desired.held_files;
    let is_held = |(path, _): &&(RepoPath, FileState)| held_files.contains(path) && !plan.lock.owns(path);
    let held: Vec<(RepoPath, FileState)> = lock.entries().iter().filter(is_held).cloned().collect();
    plan.lock = plan.lock.with(held);
    if !plan.refused.is_empty() && overwrite != OverwriteMode::Force {
        let forced = mirror::plan(&survey.desired, &survey.actual, lock, OverwriteMode::Force);
        let stays: BTreeSet<&RepoPath> = forced.refused.iter().map(|refusal| &refusal.path).collect();
        let is_part =
            |refusal: &Refusal| matches!(refusal.reason, RefusalReason::PartEdited(_) | RefusalReason::PartOccupied(_));
        let can_force = |refusal: &&Refusal| {
            if is_part(refusal) { refusal.desired.is_some() } else { !stays.contains(&refusal.path) }
        };
        plan.forcible = plan.refused.iter().filter(can_force).map(|refusal| refusal.path.clone()).collect();
    }
    plan.never_synced = !survey.has_lock && !has_mirrors(survey, &plan);
    if !plan.never_synced {
        let edited = plan.edits.iter().map(Edit::path);
        let planned: BTreeSet<&RepoPath> = edited.chain(plan.refused.iter().map(|refusal| &refusal.path)).collect();
        let in_sync: HashSet<&BStr> = survey.in_sync.iter().map(RepoPath::as_bstr).collect();
        plan.lock_drift = LockDrift::find(&survey.recorded, &plan.lock, &planned, |path| {
            let path = path.as_bstr();
            !in_sync.is_empty() && path.find_iter("/").any(|slash| in_sync.contains(path[..slash].as_bstr()))
        });
    }
    for refusal in plan.refused.iter_mut().filter(|refusal| survey.registry.contains(&refusal.path)) {
        refusal.reason = registry_reason(&refusal.reason);
    }
    plan
}

/// Refuses to remove files that exist only in the index, as with mirrors.
fn leave_outside_checkout(survey: &Survey, tool_files: &mut ToolFilePlan, plan: &mut SyncPlan) {
    let outside = &survey.actual.outside_checkout;
    let is_left = |edit: &mut Edit| edit.now().is_none() && outside.contains(edit.path());
    for left in tool_files.edits.extract_if(.., is_left) {
        let path = left.path().clone();
        let is_of_file = |entry: &RepoPath| ManagedPart::from_lock_path(entry).is_some_and(|(file, _)| file == path);
        tool_files.owned.extend(survey.lock.entries().iter().filter(|(entry, _)| is_of_file(entry)).cloned());
        tool_files.forced.retain(|forced| *forced != path);
        let reason = RefusalReason::outside_checkout(&path);
        plan.refused.push(Refusal { path, reason, desired: None, current: left.was() });
    }
}

/// Drops new tool files that git ignores: no commit has them, and each clone makes its own.
///
/// # Errors
/// The ignore rules cannot be read.
pub fn drop_ignored_tool_files(workspace: &Workspace, plan: &mut SyncPlan) -> Result<(), Error> {
    if workspace.view.is_work_tree() {
        return Ok(());
    }
    let is_new = |edit: &Edit| edit.was().is_none() && !workspace.config.is_in_mirror(edit.path());
    let new: Vec<RepoPath> = plan.edits.iter().filter(|edit| is_new(edit)).map(|edit| edit.path().clone()).collect();
    let ignored = if new.is_empty() { BTreeSet::new() } else { workspace.view.ignored(&new)? };
    plan.edits.retain(|edit| !(is_new(edit) && ignored.contains(edit.path())));
    Ok(())
}

/// Whether a mirror has a file that equals the canon, or that sync wrote and would change.
fn has_mirrors(survey: &Survey, plan: &SyncPlan) -> bool {
    let is_equal = |file: &DesiredFile| survey.actual.state(&file.path) == Some(file.state);
    let is_ours = |edit: &Edit| edit.was().is_some() && is_mirror_path(edit.path());
    survey.desired.files.iter().any(|file| is_mirror_path(&file.path) && is_equal(file))
        || plan.edits.iter().any(is_ours)
}

/// Plans the managed parts of tool files. A part that looks edited is planned again with what older syncs wrote.
fn plan_tool_files(survey: &Survey, overwrite: OverwriteMode, hash: Kind) -> ToolFilePlan {
    let desired = &survey.tool_files.desired;
    let files = &survey.tool_files.actual;
    let was_there = |part: &RepoPath, id: ObjectId| {
        let is_recorded = survey.recorded.states(part).any(|state| state.id == id);
        is_recorded && (survey.history.wrote_part(part) || is_staged(survey, part, id, hash))
    };
    let plan = |lock: &Lock| {
        let context = ToolFileContext { desired, files, owned: lock.entries(), was_there: &was_there, hash };
        toolfiles::plan(&context, overwrite)
    };
    let first = plan(&survey.lock);
    let is_unsure = !first.forced.is_empty() || !first.refused.is_empty();
    if !is_unsure {
        return first;
    }
    let is_owned = |(path, _): &&(RepoPath, FileState)| survey.lock.owns(path);
    let parts = survey.history.managed_parts();
    plan(&survey.lock.with(parts.entries().iter().filter(is_owned).cloned()))
}

/// Whether the index has a shared file with a part that equals the canon.
fn is_staged(survey: &Survey, part: &RepoPath, id: ObjectId, hash: Kind) -> bool {
    let Some((file, _)) = ManagedPart::from_lock_path(part) else { return false };
    let Some((state, text)) = survey.history.staged_text(&file) else { return false };
    let files = BTreeMap::from([(file, ToolFileState::Text { state, text })]);
    let desired = &survey.tool_files.desired;
    let context = ToolFileContext { desired, files: &files, owned: &[], was_there: &|_, _| false, hash };
    toolfiles::claim_parts(&context).iter().any(|(path, state)| path == part && state.id == id)
}

/// Rewords the reason for a registry file, which is generated and not a copy of a canon file.
fn registry_reason(reason: &RefusalReason) -> RefusalReason {
    match reason {
        RefusalReason::Edited | RefusalReason::EditedOrphan => RefusalReason::PartEdited(
            "this file is generated from the skills and was edited by hand; edit the skills instead, then run \
             `canonry skills index --force`"
                .to_owned(),
        ),
        RefusalReason::Occupied { .. } => RefusalReason::PartOccupied(
            "canonry did not write this file, and the list of the skills belongs here; move it away, set \
             `skills_index: false`, or replace it with `canonry skills index --force`"
                .to_owned(),
        ),
        other => other.clone(),
    }
}

fn refusal(refused: RefusedPart, hash: Kind) -> Refusal {
    let RefusedPart { file, conflict, message, current: was, forced } = refused;
    let mode = was.map_or(FileMode::File, |was| was.mode);
    let want = forced.map(|bytes| DesiredFile {
        path: file.clone(),
        state: FileState { id: blob_id(&bytes, hash), mode },
        content: EditContent::Bytes(bytes),
        canon: file.clone(),
        folder: file.clone(),
    });
    let reason = match conflict {
        PartConflict::Edited => RefusalReason::PartEdited(message),
        PartConflict::Occupied => RefusalReason::PartOccupied(message),
    };
    // Without a forced version there is no difference to show.
    let actual = was.filter(|_| want.is_some());
    Refusal { path: file, reason, desired: want, current: actual }
}
