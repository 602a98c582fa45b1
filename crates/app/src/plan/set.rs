//! Changes the status of a step.

use super::by_hand::require_undecided;
use super::finish::{self, FinishStepRequest, StepResult};
use super::gate::Gates;
use super::load::{LoadedPlan, NO_REPORT_HELP, no_step};
use super::run::records::Records;
use super::{StepStatus, WaitReason, edits};
use crate::{Error, ErrorKind, RepoPath, Workspace, file_edits};
use canonry_model::canon::plan::PlanStep;
use canonry_model::canon::report::{AttemptCause, AttemptOutcome};
use canonry_model::edit::Edit;
use canonry_runs::plan::remedy::Remedy;
use canonry_runs::plan::run::AttemptRecord;
use canonry_runs::plan::{Gate, Proof, StepStates, TransitionError, check_transition};
use serde_json::json;

/// A new status for a step.
#[derive(Clone, Debug)]
pub struct SetStatusRequest {
    /// The plan's id; the only plan by default.
    pub plan: Option<String>,
    /// The step's id.
    pub step: String,
    /// The new status.
    pub status: StepStatus,
    /// Why a blocked or complete step becomes pending again, or a step is blocked.
    pub reason: Option<String>,
    /// The id of a remedial step to insert before the step, which then depends on it. Its description is the reason.
    pub remedy: Option<String>,
}

/// Change of a status.
#[derive(Clone, Debug)]
pub struct StatusChange {
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
    /// Parts that did not work, such as a commit that a hook refused.
    pub notices: Vec<String>,
}

/// Checks the transition and writes the plan. A reason is recorded first, as a report, so that an earlier success no longer
/// counts.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if the plan has errors, or if plan or step do not exist; [`ErrorKind::Refused`] if the transition
/// is not allowed; [`ErrorKind::Contention`] if another run holds the lock or a file changed meanwhile.
pub fn run(workspace: &Workspace, request: &SetStatusRequest) -> Result<StatusChange, Error> {
    if matches!(request.status, StepStatus::InProgress | StepStatus::Pending) {
        let loaded = LoadedPlan::load_with_reports(workspace, request.plan.as_deref())?;
        let mut steps = loaded.document()?.steps.iter();
        // A decided step is reopened with a reason.
        let is_open = |step: &&PlanStep| matches!(step.status, StepStatus::InProgress | StepStatus::Pending);
        if let Some(step) = steps.find(|step| step.id_text() == request.step).filter(is_open) {
            require_undecided(workspace, &loaded, step)?;
        }
    }
    // Before the plan is read, so that two runs cannot start the same step.
    let mut session = file_edits::begin_plan(workspace)?;
    let loaded = LoadedPlan::load_with_reports(workspace, request.plan.as_deref())?;
    let document = loaded.document()?;
    let states = StepStates::of_document(document);
    let at = states.position(&request.step).ok_or_else(|| no_step(&request.step, &document.steps))?;
    let Some(step) = document.steps.get(at) else { return Err(no_step(&request.step, &document.steps)) };
    let reason = request.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    let gate = match request.status {
        StepStatus::InProgress | StepStatus::Complete => Gates::new(workspace, &loaded.id).gate(step)?,
        _ => Gate::Open,
    };
    let proof = Proof::from_reports(&loaded.plan, step);
    check_transition(&states, at, request.status, &gate, proof, reason.is_some())
        .map_err(|error| refusal(workspace, &loaded, step, request.status, error))?;
    if request.status == StepStatus::Complete {
        drop(session);
        return finish(workspace, request, &loaded, step);
    }
    if request.status == StepStatus::InProgress {
        Records::new(workspace, &loaded.id)?.seen(step.id_text()).record(workspace)?;
    }
    if request.status == StepStatus::Pending && step.status == StepStatus::InProgress {
        let records = Records::new(workspace, &loaded.id)?;
        if let Some(record) = records.last(step.id_text())? {
            records.save(&AttemptRecord { abandoned: true, ..record })?;
        }
    }
    // Both are computed before the first write.
    let edit = match (&request.remedy, reason) {
        (None, _) => edits::status_edit(workspace, &loaded, at, request.status)?,
        (Some(id), Some(description)) if request.status == StepStatus::Pending => {
            let owner = step.owner.as_ref().map_or("", |owner| &owner.text);
            edits::remedy_edit(workspace, &loaded, at, Remedy { id, owner, description })?
        }
        (Some(_), _) => {
            return Err(Error::new(ErrorKind::Usage, "`--remedy` needs the status pending and a reason"));
        }
    };
    let needs_report = match request.status {
        StepStatus::Pending => step.status != StepStatus::InProgress,
        StepStatus::Blocked => true,
        _ => false,
    };
    let report = match reason.filter(|_| needs_report) {
        Some(reason) => Some(reason_report(workspace, &loaded, step, request.status, reason)?),
        None => None,
    };
    let report_path = report.as_ref().map(|edit| workspace.view.full(edit.path()));
    for edit in report.into_iter().chain([edit]) {
        edits::write(workspace, &mut session, edit)?;
    }
    Ok(StatusChange {
        path: workspace.view.full(&loaded.plan.path),
        step: request.step.clone(),
        from: step.status,
        to: request.status,
        report: report_path,
        notices: Vec::new(),
    })
}

/// Completes a step that has a report of success: as `run finish` does, its commands decide.
fn finish(
    workspace: &Workspace,
    request: &SetStatusRequest,
    loaded: &LoadedPlan,
    step: &PlanStep,
) -> Result<StatusChange, Error> {
    let finished = finish::run(
        workspace,
        &FinishStepRequest {
            plan: Some(loaded.id.clone()),
            step: request.step.clone(),
            result: StepResult::Done,
            details: None,
            claim: None,
        },
    )?;
    if let Some(failure) = finished.failure {
        let message = format!("`{}` cannot become complete: {failure}", request.step);
        return Err(Error::new(ErrorKind::Refused, message).help("the commands run on a clean checkout of the commit"));
    }
    Ok(StatusChange {
        path: workspace.view.full(&loaded.plan.path),
        step: request.step.clone(),
        from: step.status,
        to: StepStatus::Complete,
        report: None,
        notices: finished.notices,
    })
}

fn refusal(
    workspace: &Workspace,
    loaded: &LoadedPlan,
    step: &PlanStep,
    to: StepStatus,
    error: TransitionError,
) -> Error {
    let id = step.id_text();
    let from = step.status.as_str();
    let to = to.as_str();
    let refused = |message: String| Error::new(ErrorKind::Refused, message);
    match error {
        TransitionError::NotAllowed if from == to => refused(format!("`{id}` is already {to}")),
        TransitionError::NotAllowed => refused(format!("`{id}` is {from} and cannot become {to}"))
            .help(format!("from {from}, a step can become {}", followers(step.status))),
        TransitionError::NeedsReason => refused(format!("`{id}` is {from}: a reason is required to make it {to}"))
            .help("add `--reason TEXT`, which is recorded as a report"),
        TransitionError::NotReady(obstacle) => refused(match obstacle {
            WaitReason::Deps(deps) => {
                let first = deps.first().map_or("", String::as_str);
                format!("`{id}` cannot start: `{first}` is not complete{}", others(deps.len()))
            }
            WaitReason::RunsAlone(other) => {
                format!(
                    "`{id}` cannot start: `{other}` is in progress, and only steps with `parallel: true` run together"
                )
            }
            WaitReason::SharedFile { step, file } => {
                format!("`{id}` cannot start: `{step}` is in progress and also writes {file}")
            }
            WaitReason::Person(reason) => format!("`{id}` {reason}"),
        })
        .help("run `canonry run next` to see which step is ready"),
        TransitionError::NeedsPerson(reason) => refused(format!("`{id}` {reason}"))
            .help(format!("ask a person to run `canonry run approve {} {id} --reason TEXT`", loaded.id)),
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

fn others(count: usize) -> String {
    if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() }
}

fn followers(status: StepStatus) -> &'static str {
    match status {
        StepStatus::Pending => "in_progress or blocked",
        StepStatus::InProgress => "complete, blocked or pending",
        StepStatus::Blocked | StepStatus::Complete | StepStatus::Unknown => "pending",
    }
}

/// The report with the reason of a person.
fn reason_report(
    workspace: &Workspace,
    loaded: &LoadedPlan,
    step: &PlanStep,
    to: StepStatus,
    reason: &str,
) -> Result<Edit, Error> {
    let Some((path, attempt)) = loaded.next_report(&workspace.layout, step) else {
        let message = format!("the reason cannot be recorded: `{}` can have no reports", step.id_text());
        return Err(Error::new(ErrorKind::Refused, message).help(NO_REPORT_HELP));
    };
    let (outcome, what) = match (step.status, to) {
        (_, StepStatus::Blocked) => ("blocked", "Rejected"),
        (StepStatus::Complete, _) => ("failure", "Reopened"),
        _ => ("blocked", "Unblocked"),
    };
    let mut report = json!({
        "step_id": step.id_text(),
        "attempt": attempt,
        "outcome": outcome,
        "details": format!("{what}: {reason}"),
        "error": reason,
        "artifacts": [],
        "timestamp": workspace.env.clock.now().to_string(),
    });
    if to == StepStatus::Pending {
        report["cause"] = json!(AttemptCause::Reopened.as_str());
    }
    edits::json_edit(workspace, path, &report)
}
