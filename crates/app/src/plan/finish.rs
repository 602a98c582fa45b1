//! Ends the work on a step that a person or an agent did without `run exec`.

use super::StepStatus;
use super::by_hand::Notices;
use super::claims::{self, ClaimHandle};
use super::committed::CommittedCommands;
use super::gate::Gates;
use super::load::{LoadedPlan, no_step};
use super::run::records::Records;
use super::run::world::{HeldClaim, RepoWorld};
use crate::{Error, ErrorKind, RepoPath, Workspace};
use canonry_model::canon::Blob;
use canonry_model::canon::plan::PlanStep;
use canonry_model::canon::report::AttemptOutcome;
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_runs::exec::AttemptEnd;
use canonry_runs::plan::run::{PlanRun, PlanWorld as _};
use canonry_runs::plan::{ClaimName, StepStates};
use serde_json::{Value, json};

/// The end of the work on a step.
#[derive(Clone, Debug)]
pub struct FinishStepRequest {
    /// The plan's id; the only plan by default.
    pub plan: Option<String>,
    /// The step's id.
    pub step: String,
    pub result: StepResult,
    /// Summary of the work and its findings. Required if no report of success exists.
    pub details: Option<String>,
    /// The token of the claim, if the caller has one.
    pub claim: Option<String>,
}

/// Result of the work on a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepResult {
    /// It is done: its commands decide whether that is true.
    Done,
    /// It failed, for this reason; another attempt may help.
    Failed(String),
    /// It cannot continue, for this reason.
    Blocked(String),
}

/// Recorded report.
#[derive(Clone, Debug)]
pub struct FinishedStep {
    /// The step's id.
    pub step: String,
    /// The new status; the old one if a command failed.
    pub status: StepStatus,
    /// Number of commands that were run.
    pub commands: usize,
    /// The command that failed, with its output. Then nothing was recorded.
    pub failure: Option<String>,
    /// The report, from the top of the repository.
    pub report: Option<RepoPath>,
    /// Parts that did not work, such as a commit that a hook refused.
    pub notices: Vec<String>,
}

/// Ends the work as a run ends that of a worker: runs the step's commands, writes and commits the report and the status, and
/// ends the claim. Others keep off a decided step until they have the commit.
///
/// # Errors
/// [`ErrorKind::Refused`] if the step is not in progress, needs approval or is forbidden, its commands are not committed, or
/// nothing says what was done;
/// [`ErrorKind::Contention`] if someone else holds the claim; [`ErrorKind::Unreadable`] if plan or step do not exist.
pub fn run(workspace: &Workspace, request: &FinishStepRequest) -> Result<FinishedStep, Error> {
    let loaded = LoadedPlan::load_with_reports(workspace, request.plan.as_deref())?;
    let steps = &loaded.document()?.steps;
    let at = StepStates::new(steps).position(&request.step);
    let step = at.and_then(|at| steps.get(at)).ok_or_else(|| no_step(&request.step, steps))?;
    require_unfinished(workspace, &loaded, step, request)?;
    let claim = own_claim(workspace, &loaded.id, request)?;
    let claimed = claim.as_ref().map(|claim| claim.attempt(workspace)).transpose()?.flatten();
    let worker = worker_report(workspace, &loaded, step, claimed, request)?;
    if request.result == StepResult::Done {
        CommittedCommands::load(workspace, &loaded)?.require(step)?;
        Gates::new(workspace, &loaded.id).require(step)?;
    }
    let notices = Notices::default();
    let world = RepoWorld::by_hand(workspace, &loaded, &notices)?;
    let record = world.new_record(&world.look()?, step, worker.attempt)?;
    let run = PlanRun::new(world, loaded.id.clone(), Some(request.step.clone()), false);
    let end = run.finish(&record, HeldClaim::by_hand(claim), worker.report)?;
    let (status, commands, failure) = match end {
        AttemptEnd::Complete { commands, .. } => (StepStatus::Complete, commands, None),
        AttemptEnd::Blocked(_) => (StepStatus::Blocked, 0, None),
        AttemptEnd::Unfinished { reason, commands } => (step.status, commands, Some(reason)),
        AttemptEnd::Fenced => return Err(fenced(&request.step)),
        _ => (StepStatus::Pending, 0, None),
    };
    let report = loaded.report_path(&workspace.layout, &request.step, worker.attempt);
    Ok(FinishedStep {
        step: request.step.clone(),
        status,
        commands,
        report: report.filter(|_| failure.is_none()).map(|path| workspace.view.full(&path)),
        failure,
        notices: notices.into_inner(),
    })
}

fn fenced(step: &str) -> Error {
    let message = format!("`{step}` is no longer in progress, or someone has taken the claim over");
    Error::new(ErrorKind::Contention, message).help("stop working on the step: the result no longer counts")
}

/// The caller's claim on the step; `None` if nobody has claimed it.
fn own_claim(workspace: &Workspace, plan: &str, request: &FinishStepRequest) -> Result<Option<ClaimHandle>, Error> {
    let Some(token) = &request.claim else {
        let name = ClaimName::new(workspace.view.base(), plan, &request.step);
        return claims::handle_of(workspace, &name, &request.step, &claims::default_holder());
    };
    let claim = ClaimHandle::from_token(token)?;
    let is_own = claim.name() == &ClaimName::new(workspace.view.base(), plan, &request.step);
    if is_own && claim.is_current(workspace)? {
        return Ok(Some(claim));
    }
    Err(fenced(&request.step))
}

/// Checks that the step is in progress, or that an earlier call completed it here: what that one could not commit is committed
/// now.
fn require_unfinished(
    workspace: &Workspace,
    loaded: &LoadedPlan,
    step: &PlanStep,
    request: &FinishStepRequest,
) -> Result<(), Error> {
    if step.status == StepStatus::InProgress {
        return Ok(());
    }
    if request.result == StepResult::Done {
        let last = loaded.plan.attempts_at(step).map(|attempt| attempt.number).max().unwrap_or_default();
        let conclusion = Records::new(workspace, &loaded.id)?.conclusion(step.id_text(), last)?;
        if conclusion.is_some_and(|conclusion| conclusion.status() == StepStatus::Complete) {
            return Ok(());
        }
    }
    let message = format!("`{}` is {}, not in_progress", step.id_text(), step.status.as_str());
    Err(Error::new(ErrorKind::Refused, message)
        .help("claim it and set it to in_progress before you work on it: `canonry run next --claim`"))
}

/// The report on the work, with the number of its attempt.
struct WorkerReport {
    attempt: u64,
    report: Value,
}

/// The report of success that the worker wrote, or a new one with the given details. `claimed` is the number of the claimed
/// attempt: others may have used those before.
fn worker_report(
    workspace: &Workspace,
    loaded: &LoadedPlan,
    step: &PlanStep,
    claimed: Option<u64>,
    request: &FinishStepRequest,
) -> Result<WorkerReport, Error> {
    let last = loaded.plan.attempts_at(step).max_by_key(|attempt| attempt.number);
    let written = last.filter(|attempt| {
        let result = attempt.result.as_ref();
        result.is_some_and(|result| result.outcome == AttemptOutcome::Success && result.cause.is_none())
    });
    if let (Some(attempt), StepResult::Done) = (written, &request.result)
        && let Blob::Bytes(bytes) = workspace.view.read(&attempt.path, DOCUMENT_LIMIT)
        && let Ok(Value::Object(mut report)) = serde_json::from_slice(&bytes)
        // A combined report is not that of the step alone.
        && !report.contains_key("reports")
    {
        if let Some(details) = &request.details {
            report.insert("details".to_owned(), json!(details));
        }
        // The commands decide.
        report.insert("passed".to_owned(), json!(true));
        return Ok(WorkerReport { attempt: attempt.number, report: Value::Object(report) });
    }
    let next = loaded.next_report(&workspace.layout, step).map_or(1, |(_, next)| next);
    let attempt = claimed.map_or(next, |claimed| claimed.max(next));
    let Some(path) = loaded.report_path(&workspace.layout, step.id_text(), attempt) else {
        let message = format!("`{}` can have no reports", step.id_text());
        return Err(Error::new(ErrorKind::Refused, message).help(super::load::NO_REPORT_HELP));
    };
    let (outcome, reason) = match &request.result {
        StepResult::Done => ("success", None),
        StepResult::Failed(reason) => ("failure", Some(reason)),
        StepResult::Blocked(reason) => ("blocked", Some(reason)),
    };
    let combined = written.and_then(|attempt| attempt.result.as_ref()).map(|result| &result.details);
    let details = request.details.as_ref().or(reason).or(combined).ok_or_else(|| {
        let message = format!("nothing says what was done in `{}`", step.id_text());
        let help = format!("add `--details TEXT`, or write the report to {}", workspace.view.full(&path));
        Error::new(ErrorKind::Refused, message).help(help)
    })?;
    let report = json!({"outcome": outcome, "details": details, "error": reason, "artifacts": []});
    Ok(WorkerReport { attempt, report })
}
