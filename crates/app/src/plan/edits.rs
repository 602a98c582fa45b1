//! The edits of plans and reports.

use super::StepStatus;
use super::load::LoadedPlan;
use crate::{Error, ErrorKind, RepoPath, Workspace, file_edits};
use canonry_mirror::MirrorRoot;
use canonry_model::canon::plan::{PlanDocument, PlanStep};
use canonry_model::canon::{Blob, FileMode};
use canonry_model::edit::Edit;
use canonry_model::finding::apply_edits;
use canonry_repo::apply::{Session, WritePlan};
use canonry_repo::view::load::PLAN_LIMIT;
use canonry_runs::plan::edit_status;
use canonry_runs::plan::remedy::{Remedy, insert_remedy};
use serde_json::Value;
use std::time::{Duration, Instant};

/// Maximum wait of a run for another command that holds canonry's lock.
pub(super) const LOCK_WAIT: Duration = Duration::from_secs(20);
const LOCK_POLL: Duration = Duration::from_millis(20);

/// Takes canonry's lock, and waits for another command that holds it: a run must not fail because of a short one.
///
/// # Errors
/// See [`file_edits::begin_plan`]; [`ErrorKind::Contention`] if the lock stays held.
pub(crate) fn begin_patiently(workspace: &Workspace) -> Result<Session, Error> {
    let started = Instant::now();
    loop {
        match file_edits::begin_plan(workspace) {
            Err(error) if error.kind == ErrorKind::Contention && started.elapsed() < LOCK_WAIT => {
                std::thread::sleep(LOCK_POLL);
            }
            result => return result,
        }
    }
}

/// The edit that changes the status of the step at index `at`.
///
/// # Errors
/// [`ErrorKind::Refused`] if no edit of the status alone is possible.
pub(super) fn status_edit(
    workspace: &Workspace,
    loaded: &LoadedPlan,
    at: usize,
    status: StepStatus,
) -> Result<Edit, Error> {
    let document = loaded.document()?;
    let path = &loaded.plan.path;
    let before = document.source.text();
    let text = text_with_status(workspace, document, at, status).ok_or_else(|| {
        let id = document.steps.get(at).map_or("", PlanStep::id_text);
        let message = format!("the status of `{id}` cannot be changed without other changes to {path}");
        Error::new(ErrorKind::Refused, message).help("write `status:` as plain text in this step, without an alias")
    })?;
    replace_text(workspace, path, before, text)
}

/// The text of a plan in which the step at index `at` has another status. The edited plan is kept parsed. `None` if no edit of
/// the status alone is possible.
pub(super) fn text_with_status(
    workspace: &Workspace,
    document: &PlanDocument,
    at: usize,
    status: StepStatus,
) -> Option<String> {
    let changed = edit_status(document, at, status)?;
    let text = apply_edits(document.source.text(), &[changed.edit])?;
    workspace.env.plans.keep_edited(document.source.path(), text.clone(), changed.document);
    Some(text)
}

/// The edit that inserts a remedial step before the step at index `at` and makes that step pending.
///
/// # Errors
/// [`ErrorKind::Refused`] if the id is taken, or no such edit is possible.
pub(super) fn remedy_edit(
    workspace: &Workspace,
    loaded: &LoadedPlan,
    at: usize,
    remedy: Remedy<'_>,
) -> Result<Edit, Error> {
    let document = loaded.document()?;
    let refused = |message: String| Error::new(ErrorKind::Refused, message);
    if document.steps.iter().any(|step| step.id_text() == remedy.id) {
        return Err(refused(format!("the plan has a step `{}` already", remedy.id)));
    }
    let text = document.source.text();
    let after = insert_remedy(document, at, remedy).and_then(|edits| apply_edits(text, &edits)).ok_or_else(|| {
        refused(format!("no step can be inserted into {} without other changes", loaded.plan.path))
            .help("add the step by hand, and its id to `deps` of the step that failed")
    })?;
    replace_text(workspace, &loaded.plan.path, text, after)
}

/// The edit that writes a file of the canon as JSON, whatever it contains now.
///
/// # Errors
/// The folder is a symbolic link.
pub(super) fn json_edit(workspace: &Workspace, path: RepoPath, value: &Value) -> Result<Edit, Error> {
    let text = serde_json::to_string_pretty(value).map_err(|e| Error::new(ErrorKind::Internal, e.to_string()))?;
    text_edit(workspace, path, text + "\n")
}

/// The edit that writes a file of the canon, whatever it contains now.
///
/// # Errors
/// The folder is a symbolic link.
pub(super) fn text_edit(workspace: &Workspace, path: RepoPath, text: String) -> Result<Edit, Error> {
    refuse_link(workspace, &path)?;
    let was = workspace.view.probe().state(&path).filter(|state| state.mode.is_file());
    let mode = was.map_or(FileMode::File, |was| was.mode);
    Ok(Edit::write(path, text.into_bytes(), was, mode, workspace.view.object_hash()))
}

/// The edit that replaces the text of a file, if it still has that text.
pub(crate) fn replace_text(workspace: &Workspace, path: &RepoPath, before: &str, after: String) -> Result<Edit, Error> {
    refuse_link(workspace, path)?;
    let view = &workspace.view;
    // The state is read before the bytes, so that a later change is noticed before the file is replaced.
    let was = view.probe().state(path).filter(|state| state.mode.is_file());
    let is_same = view.read(path, PLAN_LIMIT) == Blob::Bytes(before.as_bytes().to_vec());
    let was = was.filter(|_| is_same).ok_or_else(|| Error::changed_meanwhile(path))?;
    Ok(Edit::write(path.clone(), after.into_bytes(), Some(was), was.mode, view.object_hash()))
}

/// Refuses a folder that is a link or below one: the target may be outside the repository.
pub(super) fn refuse_link(workspace: &Workspace, path: &RepoPath) -> Result<(), Error> {
    let folder = path.parent().unwrap_or_default();
    match workspace.view.root(&folder) {
        MirrorRoot::LinkInside(_) | MirrorRoot::LinkOutside(_) => {
            let message = format!("{folder} is a symbolic link or below one");
            Err(Error::new(ErrorKind::Refused, message).help("replace the link with a folder"))
        }
        _ => Ok(()),
    }
}

/// Writes an edit.
///
/// # Errors
/// [`ErrorKind::Contention`] if the file changed since the edit was computed.
pub(crate) fn write(workspace: &Workspace, session: &mut Session, edit: Edit) -> Result<(), Error> {
    let plan = WritePlan { edits: &[edit], back_up: &[], locks: Vec::new() };
    let applied = session.apply(&workspace.view, &plan, &workspace.env.cancel)?;
    applied.conflicts.first().map_or(Ok(()), |path| Err(Error::changed_meanwhile(path)))
}
