//! Changes the status of a step.

use super::load::LoadedPlan;
use super::{StepStatus, WaitReason};
use crate::app::{Error, ErrorKind, RepoPath, Workspace, file_edits};
use crate::apply::{Session, WritePlan};
use crate::canon::plan::PlanStep;
use crate::canon::report::{AttemptCause, AttemptOutcome};
use crate::canon::{Blob, FileMode, FileState};
use crate::config::closest_match;
use crate::edit::{Edit, EditContent};
use crate::finding::apply_edits;
use crate::mirror::MirrorRoot;
use crate::plan::{Proof, StepStates, TransitionError, check_transition, edit_status};
use crate::view::load::PLAN_LIMIT;
use serde_json::json;

/// A new status for a step.
#[derive(Clone, Debug)]
pub struct Request {
    /// The plan's id; the only plan by default.
    pub plan: Option<String>,
    /// The step's id.
    pub step: String,
    /// The new status.
    pub status: StepStatus,
    /// Why a blocked or complete step becomes pending again.
    pub reason: Option<String>,
}

/// What was changed.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The plan's file, from the top of the repository.
    pub path: RepoPath,
    /// The step's id.
    pub step: String,
    /// The status before.
    pub from: StepStatus,
    /// The status now.
    pub to: StepStatus,
    /// The report that records the reason.
    pub report: Option<RepoPath>,
}

/// Checks the transition and writes the plan. A reason is recorded first, as a report, so that an earlier success no longer
/// counts.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if the plan has errors, or if plan or step do not exist; [`ErrorKind::Refused`] if the transition
/// is not allowed; [`ErrorKind::Contention`] if another run holds the lock or a file changed meanwhile.
pub fn run(workspace: &Workspace, request: &Request) -> Result<Outcome, Error> {
    // Before the plan is read, so that two runs cannot start the same step.
    let mut session = file_edits::begin(workspace)?;
    let loaded = LoadedPlan::load_with_reports(workspace, request.plan.as_deref())?;
    let document = loaded.document()?;
    let states = StepStates::new(&document.steps);
    let at = states.position(&request.step).ok_or_else(|| no_step(request, &document.steps))?;
    let Some(step) = document.steps.get(at) else { return Err(no_step(request, &document.steps)) };
    let reason = request.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    check_transition(&states, at, request.status, Proof::from_reports(&loaded.plan, step), reason.is_some())
        .map_err(|error| refusal(workspace, &loaded, step, request.status, error))?;
    let path = &loaded.plan.path;
    let edit = edit_status(document, at, request.status);
    let text = edit.and_then(|edit| apply_edits(document.source.text(), &[edit])).ok_or_else(|| {
        let message = format!("the status of `{}` cannot be changed without other changes to {path}", request.step);
        Error::new(ErrorKind::Refused, message).help("write `status:` as plain text in this step, without an alias")
    })?;
    // Both are computed before the first write.
    let edit = replace_text(workspace, path, document.source.text(), text)?;
    let is_reopened = request.status == StepStatus::Pending && step.status != StepStatus::InProgress;
    let report = match reason.filter(|_| is_reopened) {
        Some(reason) => Some(reason_report(workspace, &loaded, step, reason)?),
        None => None,
    };
    let report_path = report.as_ref().map(|edit| workspace.view.full(edit.path()));
    for edit in report.into_iter().chain([edit]) {
        write(workspace, &mut session, edit)?;
    }
    Ok(Outcome {
        path: workspace.view.full(path),
        step: request.step.clone(),
        from: step.status,
        to: request.status,
        report: report_path,
    })
}

fn no_step(request: &Request, steps: &[PlanStep]) -> Error {
    let error = Error::new(ErrorKind::Unreadable, format!("the plan has no step `{}`", request.step));
    match closest_match(&request.step, steps.iter().map(PlanStep::id_text)) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help("run `canonry plan show` to see all steps"),
    }
}

fn refusal(
    workspace: &Workspace,
    loaded: &LoadedPlan,
    step: &PlanStep,
    to: StepStatus,
    error: TransitionError,
) -> Error {
    let (id, from, to) = (step.id_text(), step.status.as_str(), to.as_str());
    let refused = |message: String| Error::new(ErrorKind::Refused, message);
    match error {
        TransitionError::NotAllowed if from == to => refused(format!("`{id}` is already {to}")),
        TransitionError::NotAllowed => refused(format!("`{id}` is {from} and cannot become {to}"))
            .help(format!("from {from}, a step can become {}", followers(step.status))),
        TransitionError::NeedsReason => refused(format!("`{id}` is {from}: a reason is required to make it {to}"))
            .help("add `--reason TEXT`, which is recorded as a report"),
        TransitionError::NotReady(obstacle) => {
            let steps = loaded.document().map(|document| document.steps.as_slice()).unwrap_or_default();
            refused(match WaitReason::new(obstacle, steps) {
                WaitReason::Deps(deps) => {
                    let first = deps.first().map_or("", String::as_str);
                    format!("`{id}` cannot start: `{first}` is not complete{}", others(deps.len()))
                }
                WaitReason::RunsAlone(other) => {
                    format!("`{id}` cannot start: `{other}` is in progress, and only steps with `parallel: true` run together")
                }
                WaitReason::SharedFile { step, file } => {
                    format!("`{id}` cannot start: `{step}` is in progress and also writes {file}")
                }
            })
            .help("run `canonry plan next` to see which step is ready")
        }
        TransitionError::Unproved(proof) => {
            let what = match proof {
                Proof::Missing => "has no report",
                Proof::Invalid => "has no valid report on its last attempt",
                Proof::Reported(AttemptOutcome::Failure) => "failed in its last attempt",
                Proof::Reported(AttemptOutcome::Blocked) => "was blocked in its last attempt",
                Proof::Reported(AttemptOutcome::Success) => "has a report of success",
            };
            let help = match loaded.next_report(&workspace.layout, step) {
                Some((path, _)) => {
                    format!("write the report on the successful attempt to {}", workspace.view.full(&path))
                }
                None => NO_REPORT_HELP.to_owned(),
            };
            refused(format!("`{id}` {what}, so it cannot become complete")).help(help)
        }
    }
}

const NO_REPORT_HELP: &str = "reports need a plan below plans/ and a step id that can be a file name";

fn others(count: usize) -> String {
    if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() }
}

fn followers(status: StepStatus) -> &'static str {
    match status {
        StepStatus::Pending => "in_progress",
        StepStatus::InProgress => "complete, blocked or pending",
        StepStatus::Blocked | StepStatus::Complete | StepStatus::Unknown => "pending",
    }
}

/// The report that says why a step is pending again.
fn reason_report(workspace: &Workspace, loaded: &LoadedPlan, step: &PlanStep, reason: &str) -> Result<Edit, Error> {
    let Some((path, attempt)) = loaded.next_report(&workspace.layout, step) else {
        let message = format!("the reason cannot be recorded: `{}` can have no reports", step.id_text());
        return Err(Error::new(ErrorKind::Refused, message).help(NO_REPORT_HELP));
    };
    let (outcome, what) = match step.status {
        StepStatus::Complete => ("failure", "Reopened"),
        _ => ("blocked", "Unblocked"),
    };
    let report = json!({
        "step_id": step.id_text(),
        "attempt": attempt,
        "outcome": outcome,
        "cause": AttemptCause::Reopened.as_str(),
        "details": format!("{what}: {reason}"),
        "error": reason,
        "artifacts": [],
        "timestamp": workspace.env.clock.now().to_string(),
    });
    let text = serde_json::to_string_pretty(&report).map_err(|e| Error::new(ErrorKind::Internal, e.to_string()))?;
    refuse_link(workspace, &path)?;
    let bytes = (text + "\n").into_bytes();
    let now = FileState { id: blob_id(workspace, &bytes)?, mode: FileMode::File };
    Ok(Edit::Write { path, content: EditContent::Bytes(bytes), was: None, now })
}

/// The edit that replaces the text of a file, if it still has that text.
fn replace_text(workspace: &Workspace, path: &RepoPath, before: &str, after: String) -> Result<Edit, Error> {
    refuse_link(workspace, path)?;
    let view = &workspace.view;
    // The state is read before the bytes, so that a later change is noticed before the file is replaced.
    let was = view.probe().state(path).filter(|state| state.mode.is_file());
    let is_same = view.read(path, PLAN_LIMIT) == Blob::Bytes(before.as_bytes().to_vec());
    let was = was.filter(|_| is_same).ok_or_else(|| changed(path))?;
    let bytes = after.into_bytes();
    let now = FileState { id: blob_id(workspace, &bytes)?, mode: was.mode };
    Ok(Edit::Write { path: path.clone(), content: EditContent::Bytes(bytes), was: Some(was), now })
}

fn blob_id(workspace: &Workspace, bytes: &[u8]) -> Result<gix::ObjectId, Error> {
    gix::objs::compute_hash(workspace.view.object_hash(), gix::objs::Kind::Blob, bytes)
        .map_err(|e| Error::new(ErrorKind::Internal, e.to_string()))
}

/// Refuses a folder that is a link or below one: the target may be outside the repository.
fn refuse_link(workspace: &Workspace, path: &RepoPath) -> Result<(), Error> {
    let folder = path.parent().unwrap_or_default();
    match workspace.view.root(&folder) {
        MirrorRoot::LinkInside(_) | MirrorRoot::LinkOutside(_) => {
            let message = format!("{folder} is a symbolic link or below one");
            Err(Error::new(ErrorKind::Refused, message).help("replace the link with a folder"))
        }
        _ => Ok(()),
    }
}

fn write(workspace: &Workspace, session: &mut Session, edit: Edit) -> Result<(), Error> {
    let plan = WritePlan { edits: &[edit], back_up: &[], locks: Vec::new() };
    let applied = session.apply(&workspace.view, &plan, &workspace.env.cancel)?;
    applied.conflicts.first().map_or(Ok(()), |path| Err(changed(path)))
}

fn changed(path: &RepoPath) -> Error {
    Error::new(ErrorKind::Contention, format!("{path} changed while this command ran and was left alone"))
        .help("run this again")
}
