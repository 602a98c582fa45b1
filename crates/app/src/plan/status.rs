//! Who works on a plan now.

use super::claims;
use super::gate::Gates;
use super::load::LoadedPlan;
use super::run::records::Records;
use crate::{Error, Timestamp, Workspace};
use canonry_model::canon::plan::{PlanStep, StepStatus};
use canonry_model::canon::report::AttemptCause;
use canonry_repo::exec::group::group_is_alive;
use canonry_runs::plan::run::PersonRequest;
use canonry_runs::plan::{AttemptHistory, StepStates};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes at the end of a log that are searched for its last line.
const TAIL: u64 = 4096;

/// The state of a plan.
#[derive(Clone, Debug)]
pub struct PlanStatus {
    /// The plan's id.
    pub plan: String,
    /// Number of complete steps.
    pub complete: usize,
    /// The number of steps.
    pub steps: usize,
    /// The attempts that a run in this clone has started and not concluded.
    pub attempts: Vec<AttemptState>,
    /// The claims: step, holder, and when the holder took it.
    pub claims: Vec<StepClaim>,
    /// The steps that wait for the end of a usage limit.
    pub waiting: Vec<(String, Timestamp)>,
    /// The steps that are blocked, with the reason and the next command.
    pub blocked: Vec<(String, String)>,
    /// The steps that could start if a person had decided, with the reasons.
    pub needs_person: Vec<(String, String)>,
}

/// An attempt that is not concluded.
#[derive(Clone, Debug)]
pub struct AttemptState {
    /// The step's id.
    pub step: String,
    /// The number of the attempt.
    pub attempt: u64,
    /// The step's role.
    pub owner: String,
    /// Seconds since it was started.
    pub seconds: i64,
    /// Whether its worker or its run is alive. If not, the next run recovers it.
    pub is_alive: bool,
    /// The last line of output.
    pub last_line: String,
    /// The worker's output.
    pub log: PathBuf,
}

/// A claim on a step.
#[derive(Clone, Debug)]
pub struct StepClaim {
    /// The step's id.
    pub step: String,
    /// Who holds it; `None` if a newer version of canonry made it.
    pub holder: Option<String>,
    /// When it was taken or renewed.
    pub time: Option<Timestamp>,
    /// Whether another worker may take it over now.
    pub is_free: bool,
}

/// Reads the state of a plan, by default the only one.
///
/// # Errors
/// The plan is not found, or it has errors.
pub fn run(workspace: &Workspace, plan: Option<&str>) -> Result<PlanStatus, Error> {
    let loaded = LoadedPlan::load_with_reports(workspace, plan)?;
    let steps = &loaded.document()?.steps;
    let now = workspace.env.clock.now();
    let held = claims::held(workspace, &loaded.id)?;
    let records = Records::new(workspace, &loaded.id)?;
    let attempts = records.all()?.into_iter().map(|record| {
        let log = records.log(&record.step, record.attempt);
        let started = Timestamp::parse(&record.started).unwrap_or(now);
        AttemptState {
            seconds: now.to_jiff().duration_since(started.to_jiff()).as_secs(),
            is_alive: held.get(&record.step).is_some_and(|claim| !claim.is_free())
                || record
                    .worker
                    .as_deref()
                    .and_then(|worker| worker.parse().ok())
                    .is_some_and(|worker| group_is_alive(&worker)),
            last_line: last_line(&log),
            step: record.step,
            attempt: record.attempt,
            owner: record.owner,
            log,
        }
    });
    let claims = held.iter().map(|(step, claim)| StepClaim {
        step: step.clone(),
        holder: claim.holder.clone(),
        time: claim.time,
        is_free: claim.is_free(),
    });
    let waiting = steps.iter().filter(|step| step.status == StepStatus::Pending).filter_map(|step| {
        let until = AttemptHistory::from_reports(loaded.plan.attempts_at(step)).waiting_until?;
        (until > now).then(|| (step.id_text().to_owned(), until))
    });
    let blocked = steps.iter().filter(|step| step.status == StepStatus::Blocked);
    let blocked = blocked.map(|step| (step.id_text().to_owned(), blocked_reason(&loaded, step).reason));
    let states = StepStates::new(steps);
    let gates = Gates::new(workspace, &loaded.id);
    let mut needs_person = Vec::new();
    for (_, step) in steps.iter().enumerate().filter(|(at, _)| states.is_ready(*at)) {
        needs_person.extend(gates.gate(step)?.obstacle().map(|reason| (step.id_text().to_owned(), reason)));
    }
    Ok(PlanStatus {
        needs_person,
        complete: steps.iter().filter(|step| step.status == StepStatus::Complete).count(),
        steps: steps.len(),
        attempts: attempts.collect(),
        claims: claims.collect(),
        waiting: waiting.collect(),
        blocked: blocked.collect(),
        plan: loaded.id,
    })
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

/// The last line of a log; empty if it cannot be read: the worker may not have written one.
fn last_line(log: &Path) -> String {
    let read = || -> std::io::Result<String> {
        let mut file = canonry_repo::fs::open(log)?;
        let length = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        let mut bytes = Vec::new();
        file.take(TAIL).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned())
    };
    read().unwrap_or_default()
}
