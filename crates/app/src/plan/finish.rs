//! Ends the work on a step that a person or an agent did without `run exec`.

use super::claims::{self, ClaimHandle};
use super::load::{LoadedPlan, no_step};
use super::run::records::Records;
use super::step_commit::StepCommit;
use super::verification::{COMMAND_TIMEOUT, Checks};
use super::work::StepWork;
use super::{StepStatus, edits, episode};
use crate::{Error, ErrorKind, RepoPath, Workspace};
use canonry_model::canon::plan::PlanStep;
use canonry_model::canon::report::AttemptOutcome;
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_runs::plan::run::{Accepted, Conclusion, WorkError};
use canonry_runs::plan::{AttemptFacts, ClaimName, StepStates, attempt_report};
use serde_json::{Value, json};
use std::cell::RefCell;

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
    /// Why the status and the report are not committed.
    pub uncommitted: Option<String>,
}

/// Runs the step's commands, writes and commits the report and the status, and ends the claim: others keep off a decided step
/// until they have the commit.
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
    require_in_progress(step)?;
    own_claim(workspace, &loaded.id, request)?;
    let worker = worker_report(workspace, &loaded, step, request)?;
    let records = Records::new(workspace, &loaded.id)?;
    let top = workspace.top()?;
    let attempt = worker.attempt;
    let work = StepWork { workspace, loaded: &loaded, records: &records, step, attempt, folder: &top };
    let mut results = Vec::new();
    let mut candidate = None;
    if request.result == StepResult::Done {
        let setup = crate::owners::setup(workspace)?;
        let cancel = &workspace.env.cancel;
        let checks = Checks { setup: setup.as_deref(), timeout: COMMAND_TIMEOUT, cancel, tree: &RefCell::default() };
        let failure = match work.files() {
            Ok(found) => {
                let verification = work.verify(&found, &checks)?;
                results = verification.results;
                candidate = Some(found);
                verification.failure
            }
            Err(WorkError::Attempt(reason) | WorkError::Beyond(reason)) => Some(reason),
            Err(WorkError::Run(error)) => return Err(error),
        };
        if failure.is_some() {
            return Ok(FinishedStep {
                step: request.step.clone(),
                status: step.status,
                commands: results.len(),
                failure,
                report: None,
                uncommitted: None,
            });
        }
    }
    let (status, outcome, error) = match &request.result {
        StepResult::Done => (StepStatus::Complete, AttemptOutcome::Success, None),
        StepResult::Failed(error) => (StepStatus::Pending, AttemptOutcome::Failure, Some(error.clone())),
        StepResult::Blocked(error) => (StepStatus::Blocked, AttemptOutcome::Blocked, Some(error.clone())),
    };
    let owner = step.owner.as_ref().map_or("", |owner| &owner.text);
    // The commands took time: what was true before may have changed.
    let mut session = edits::begin_patiently(workspace)?;
    workspace.view.forget();
    let now = LoadedPlan::load(workspace, request.plan.as_deref())?;
    let steps = &now.document()?.steps;
    let at = StepStates::new(steps).position(&request.step).ok_or_else(|| no_step(&request.step, steps))?;
    require_in_progress(steps.get(at).ok_or_else(|| no_step(&request.step, steps))?)?;
    let claim = own_claim(workspace, &now.id, request)?;
    let (base, commit) = match candidate.map(|candidate| work.accept(&candidate)).transpose()? {
        Some(Accepted::Complete { base, commit }) => (base, commit),
        Some(Accepted::Conflict(error) | Accepted::Refused(error)) => {
            return Err(Error::new(ErrorKind::Refused, error).help("correct the work, then run this again"));
        }
        Some(Accepted::Moved) => {
            let message = "the branch or the files changed while the commands ran";
            return Err(Error::new(ErrorKind::Contention, message).help("run this again"));
        }
        None => (None, None),
    };
    let facts = AttemptFacts {
        step: &request.step,
        attempt,
        owner,
        timestamp: workspace.env.clock.now(),
        outcome,
        cause: None,
        error,
        waiting_until: None,
        commands: &results,
        base,
        commit,
    };
    let report = attempt_report(Some(&worker.report), &facts);
    if status == StepStatus::Complete {
        let conclusion = Conclusion { report: report.clone(), status: status.as_str().to_owned() };
        records.save_conclusion(&request.step, attempt, &conclusion)?;
    }
    let report_edit = edits::json_edit(workspace, worker.path.clone(), &report)?;
    let status_edit = edits::status_edit(workspace, &now, at, status)?;
    edits::write(workspace, &mut session, report_edit)?;
    edits::write(workspace, &mut session, status_edit)?;
    drop(session);
    if status == StepStatus::Complete {
        records.forget_seen(&request.step)?;
    }
    workspace.view.forget();
    let loaded = LoadedPlan::load_with_reports(workspace, request.plan.as_deref())?;
    let mut attempts = loaded.plan.attempts.iter().filter(|one| one.step == request.step);
    if let Some(recorded) = attempts.find(|one| one.number == attempt) {
        episode::record_attempt(workspace, &loaded.id, recorded)?;
    }
    let commit = StepCommit { plan: &loaded.id, path: &loaded.plan.path, step: &request.step, last: attempt, status };
    let committed = commit.commit(workspace);
    if let Some(claim) = claim {
        let head = workspace.repo()?.head_id().ok().map(gix::Id::detach);
        claim.end(workspace, head, status != StepStatus::Pending)?;
    }
    Ok(FinishedStep {
        step: request.step.clone(),
        status,
        commands: results.len(),
        failure: None,
        report: Some(workspace.view.full(&worker.path)),
        uncommitted: committed.err().map(|error| error.to_string()),
    })
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
    let message = format!("this claim on `{}` no longer exists, or someone has taken it over", request.step);
    Err(Error::new(ErrorKind::Contention, message).help("stop working on the step: the result no longer counts"))
}

fn require_in_progress(step: &PlanStep) -> Result<(), Error> {
    if step.status == StepStatus::InProgress {
        return Ok(());
    }
    let message = format!("`{}` is {}, not in_progress", step.id_text(), step.status.as_str());
    Err(Error::new(ErrorKind::Refused, message)
        .help("claim it and set it to in_progress before you work on it: `canonry run next --claim`"))
}

/// The report to complete.
struct WorkerReport {
    path: RepoPath,
    attempt: u64,
    report: Value,
}

/// The report of success that the worker wrote, or a new one with the given details.
fn worker_report(
    workspace: &Workspace,
    loaded: &LoadedPlan,
    step: &PlanStep,
    request: &FinishStepRequest,
) -> Result<WorkerReport, Error> {
    let last = loaded.plan.attempts_at(step).max_by_key(|attempt| attempt.number);
    let written = last.filter(|attempt| {
        let result = attempt.result.as_ref();
        result.is_some_and(|result| result.outcome == AttemptOutcome::Success && result.cause.is_none())
    });
    if let (Some(attempt), StepResult::Done) = (written, &request.result) {
        let text = workspace.view.read(&attempt.path, DOCUMENT_LIMIT);
        if let canonry_model::canon::Blob::Bytes(bytes) = text
            && let Ok(mut report) = serde_json::from_slice::<Value>(&bytes)
            // A combined report is not that of the step alone.
            && report.get("reports").is_none()
        {
            if let (Some(details), Some(object)) = (&request.details, report.as_object_mut()) {
                object.insert("details".to_owned(), json!(details));
            }
            return Ok(WorkerReport { path: attempt.path.clone(), attempt: attempt.number, report });
        }
    }
    let Some((path, attempt)) = loaded.next_report(&workspace.layout, step) else {
        let message = format!("`{}` can have no reports", step.id_text());
        return Err(Error::new(ErrorKind::Refused, message).help(super::load::NO_REPORT_HELP));
    };
    let reason = match &request.result {
        StepResult::Done => None,
        StepResult::Failed(reason) | StepResult::Blocked(reason) => Some(reason),
    };
    let combined = written.and_then(|attempt| attempt.result.as_ref()).map(|result| &result.details);
    let details = request.details.as_ref().or(reason).or(combined).ok_or_else(|| {
        let message = format!("nothing says what was done in `{}`", step.id_text());
        let help = format!("add `--details TEXT`, or write the report to {}", workspace.view.full(&path));
        Error::new(ErrorKind::Refused, message).help(help)
    })?;
    Ok(WorkerReport { path, attempt, report: json!({"details": details, "artifacts": []}) })
}
