//! The state of a plan.

use super::claims::{self, ClaimSummary};
use super::gate::Gates;
use super::load::LoadedPlan;
use super::run::records::Records;
use crate::runs::run_status::{AttemptState, OpenAttempt, RunPhase, RunStatus, StepClaim, StepCounts};
use crate::{Error, Timestamp, Workspace};
use canonry_model::canon::plan::{PlanStep, StepStatus};
use canonry_model::canon::report::AttemptCause;
use canonry_runs::exec::{PersonRequest, RunKind};
use canonry_runs::plan::run::AttemptRecord;
use canonry_runs::plan::{AttemptHistory, Gate, StepStates};
use std::collections::BTreeMap;

/// Reads the state of a plan, with its claims as the remote has them.
///
/// # Errors
/// The plan is not found, or it has errors.
pub(crate) fn read(workspace: &Workspace, plan: &str) -> Result<RunStatus, Error> {
    let claims = claims::held(workspace, plan)?;
    state(workspace, plan, &claims)
}

/// The same with the claims that this clone knows.
///
/// # Errors
/// See [`read`].
pub(crate) fn read_known(workspace: &Workspace, plan: &str) -> Result<RunStatus, Error> {
    let claims = claims::known(workspace, plan)?;
    state(workspace, plan, &claims)
}

/// Whether every step of a plan is complete.
///
/// # Errors
/// See [`read`].
pub(crate) fn is_complete(workspace: &Workspace, plan: &str) -> Result<bool, Error> {
    let loaded = LoadedPlan::load(workspace, Some(plan))?;
    Ok(loaded.document()?.steps.iter().all(|step| step.status == StepStatus::Complete))
}

fn state(workspace: &Workspace, plan: &str, held: &BTreeMap<String, ClaimSummary>) -> Result<RunStatus, Error> {
    // The reports say why a step waits or is blocked.
    let loaded = if is_complete(workspace, plan)? {
        LoadedPlan::load(workspace, Some(plan))?
    } else {
        LoadedPlan::load_with_reports(workspace, Some(plan))?
    };
    let document = loaded.document()?;
    let steps = &document.steps;
    let now = workspace.env.clock.now();
    // Without git, there are no records.
    let records = Records::new(workspace, &loaded.id).ok();
    let started = records.as_ref().map(Records::all).transpose()?.unwrap_or_default();
    let attempts: Vec<OpenAttempt> = started
        .into_iter()
        .map(|record| {
            let log = records.as_ref().map(|records| records.log(&record.step, record.attempt)).unwrap_or_default();
            open_attempt(record, held, now).with_log(log)
        })
        .collect();
    let with = |status: StepStatus| steps.iter().filter(move |step| step.status == status);
    let waiting = with(StepStatus::Pending).filter_map(|step| {
        let until = AttemptHistory::from_reports(loaded.plan.attempts_at(step)).waiting_until?;
        (until > now).then(|| (step.id_text().to_owned(), until))
    });
    let blocked =
        with(StepStatus::Blocked).map(|step| (step.id_text().to_owned(), blocked_reason(&loaded, step).reason));
    let mut status = RunStatus {
        steps: StepCounts {
            total: Some(steps.len()),
            complete: with(StepStatus::Complete).count(),
            in_progress: with(StepStatus::InProgress).count(),
            ready: 0,
        },
        attempts,
        claims: held.iter().map(|(step, claim)| step_claim(step, claim)).collect(),
        waiting: waiting.collect(),
        blocked: blocked.collect(),
        ..RunStatus::new(loaded.id.clone(), RunKind::Plan, RunPhase::Complete)
    };
    let states = StepStates::of_document(document);
    let gates = Gates::new(workspace, &loaded.id);
    for (_, step) in steps.iter().enumerate().filter(|(at, _)| states.is_ready(*at)) {
        let gate = gates.gate(step)?;
        match (&gate, gate.obstacle()) {
            (Gate::Forbidden(_), Some(reason)) => status.blocked.push((step.id_text().to_owned(), reason)),
            (_, Some(reason)) => status.unapproved.push((step.id_text().to_owned(), reason)),
            (_, None) => status.steps.ready += 1,
        }
    }
    status.phase = phase(&status);
    Ok(status)
}

fn phase(status: &RunStatus) -> RunPhase {
    let RunStatus { steps, attempts, waiting, .. } = status;
    let is_in = |state: AttemptState| attempts.iter().any(|attempt| attempt.state == state);
    let until = waiting.iter().map(|(_, until)| *until).min();
    if steps.total == Some(steps.complete) {
        RunPhase::Complete
    } else if steps.ready > waiting.len() || is_in(AttemptState::Interrupted) {
        RunPhase::Ready
    } else if is_in(AttemptState::Running) {
        RunPhase::Working
    } else if let Some(until) = until {
        RunPhase::WaitingUntil { until }
    } else if !status.unapproved.is_empty() || !status.blocked.is_empty() {
        RunPhase::NeedsPerson
    } else {
        RunPhase::Working
    }
}

fn open_attempt(record: AttemptRecord, held: &BTreeMap<String, ClaimSummary>, now: Timestamp) -> OpenAttempt {
    let started = Timestamp::parse(&record.started);
    // A worker whose run is gone ends before another begins.
    let is_claimed = held.get(&record.step).is_some_and(|claim| !claim.is_free());
    OpenAttempt {
        step: record.step,
        attempt: record.attempt,
        task: None,
        owner: Some(record.owner),
        started,
        seconds: started.map_or(0, |started| now.to_jiff().duration_since(started.to_jiff()).as_secs()),
        state: if is_claimed { AttemptState::Running } else { AttemptState::Interrupted },
        last_line: String::new(),
        log: None,
    }
}

fn step_claim(step: &str, claim: &ClaimSummary) -> StepClaim {
    StepClaim { step: step.to_owned(), holder: claim.holder.clone(), time: claim.time, is_free: claim.is_free() }
}

/// Why a step is blocked, from its last report, and the command that tries it again.
pub(super) fn blocked_reason(loaded: &LoadedPlan, step: &PlanStep) -> PersonRequest {
    let report = loaded.plan.last_report(step);
    let is_proposed = report.is_some_and(|(_, result)| result.cause == Some(AttemptCause::PullRequest));
    let last = report.map(|(_, result)| {
        result.error.clone().filter(|error| !error.trim().is_empty()).unwrap_or_else(|| result.details.clone())
    });
    if let Some(reason) = last.clone().filter(|_| is_proposed) {
        return PersonRequest { reason, next: Some(format!("canonry run exec {}", loaded.id)) };
    }
    let reason = last.filter(|reason| !reason.trim().is_empty());
    let reason = reason.map(|reason| format!(": {}", reason.lines().next().unwrap_or_default()));
    let again = format!("canonry run set {} {} pending --reason TEXT", loaded.id, step.id_text());
    PersonRequest::with_command(&format!("blocked{}", reason.unwrap_or_default()), again, "tries it again")
}
