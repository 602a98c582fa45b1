//! Claims a step for a worker outside of canonry.

use super::StepStatus;
use super::by_hand::{end_left_worker, require_undecided};
use super::claims::{ClaimRequest, Holder, TakeError, acquire, default_holder};
use super::gate::Gates;
use super::load::{LoadedPlan, no_step};
use crate::{Error, ErrorKind, RepoPath, Workspace};
use canonry_model::canon::Blob;
use canonry_model::canon::duration::parse_duration;
use canonry_model::canon::timestamp::Timestamp;
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_runs::plan::StepStates;
use canonry_runs::plan::claim::MAX_CLAIM_TTL;
use canonry_runs::plan::run::ClaimFor;
use std::time::Duration;

/// Which step to claim, and for whom.
#[derive(Clone, Debug)]
pub struct ClaimStepRequest {
    /// The plan's id; the only plan by default.
    pub plan: Option<String>,
    /// The step's id.
    pub step: String,
    /// The claimant.
    pub claimant: Claimant,
}

/// For whom a step is claimed, and for how long.
#[derive(Clone, Debug, Default)]
pub struct Claimant {
    /// The name of the holder, who may claim a step again to renew the claim. `user@machine` by default; then every claim
    /// is that of another worker.
    pub holder: Option<String>,
    /// The time to live, such as `30m`; that of the config by default.
    pub ttl: Option<String>,
}

/// A claim that was taken.
#[derive(Clone, Debug)]
pub struct ClaimedStep {
    /// The plan's id.
    pub plan: String,
    /// The step's id.
    pub step: String,
    /// The step's status in the plan.
    pub status: StepStatus,
    /// The claim.
    pub claim: TakenClaim,
    /// Where the report on the attempt belongs; `None` if the plan has no reports folder.
    pub report: Option<RepoPath>,
}

/// Information for the holder of a new claim.
#[derive(Clone, Debug)]
pub struct TakenClaim {
    /// The name of the holder.
    pub holder: String,
    /// The number of the attempt, from 1.
    pub attempt: u64,
    /// When it was made or renewed.
    pub time: Timestamp,
    /// Until when it is held if it is not renewed.
    pub until: Timestamp,
    /// Identifies the claim.
    pub token: String,
}

/// Claims the step. The plan does not change.
///
/// # Errors
/// [`ErrorKind::Contention`] if another worker holds the step, or the configured remote does not answer;
/// [`ErrorKind::Refused`] if the step cannot start; [`ErrorKind::Unreadable`] if the plan has errors, or if plan or step do
/// not exist; [`ErrorKind::Usage`] if the time to live is invalid.
pub fn run(workspace: &Workspace, request: &ClaimStepRequest) -> Result<ClaimedStep, Error> {
    let terms = ClaimTerms::new(workspace, &request.claimant)?;
    let loaded = LoadedPlan::load_with_reports(workspace, request.plan.as_deref())?;
    let steps = &loaded.document()?.steps;
    let states = StepStates::new(steps);
    let at = states.position(&request.step).ok_or_else(|| no_step(&request.step, steps))?;
    let step = steps.get(at).ok_or_else(|| no_step(&request.step, steps))?;
    check_claimable(&states, at, &request.step)?;
    Gates::new(workspace, &loaded.id).require(step)?;
    let claim = take(workspace, &loaded, at, &terms)?;
    let report = loaded.report_path(&workspace.layout, step.id_text(), claim.attempt);
    let report = report.map(|path| workspace.view.full(&path));
    Ok(ClaimedStep { plan: loaded.id.clone(), step: request.step.clone(), status: step.status, claim, report })
}

/// The terms of new claims.
pub(super) struct ClaimTerms {
    holder: Holder,
    ttl: Duration,
    renews: bool,
}

impl ClaimTerms {
    /// # Errors
    /// [`ErrorKind::Usage`] if the time to live is invalid.
    pub fn new(workspace: &Workspace, claimant: &Claimant) -> Result<Self, Error> {
        let ttl = match &claimant.ttl {
            None => workspace.config.plans.claim_ttl,
            Some(text) => parse_duration(text).filter(|ttl| *ttl <= MAX_CLAIM_TTL).ok_or_else(|| {
                Error::new(ErrorKind::Usage, format!("`{text}` is not a time to live of a claim"))
                    .help("write a number and a unit, such as `90s`, `30m` or `2h`; the maximum is a week (`168h`)")
            })?,
        };
        // The process ends at once, so it does not identify the worker.
        let name = claimant.holder.clone().unwrap_or_else(default_holder);
        Ok(Self { holder: Holder { name, pid: None }, ttl, renews: claimant.holder.is_some() })
    }

    /// Whether a claim of this holder can be renewed.
    pub fn may_renew(&self, holder: &str) -> bool {
        self.renews && self.holder.name == holder
    }
}

/// Takes the claim on the step at index `at`, which can start, and checks that it still can: the plan may have changed
/// before the claim was taken.
///
/// # Errors
/// See [`run`].
pub(super) fn take(
    workspace: &Workspace,
    loaded: &LoadedPlan,
    at: usize,
    terms: &ClaimTerms,
) -> Result<TakenClaim, TakeError> {
    let document = loaded.document()?;
    let step = document.steps.get(at).ok_or_else(|| Error::new(ErrorKind::Internal, "the step does not exist"))?;
    require_undecided(workspace, loaded, step).map_err(|error| match error.kind {
        ErrorKind::Refused => TakeError::Decided(error),
        _ => TakeError::Failed(error),
    })?;
    let attempt = loaded.next_report(&workspace.layout, step).map_or(1, |(_, attempt)| attempt);
    let ClaimTerms { holder, ttl, renews } = terms;
    let attempt = ClaimFor::Next(attempt);
    let request = ClaimRequest {
        plan: &loaded.id,
        step: step.id_text(),
        attempt,
        holder,
        file: Some(&loaded.plan.path),
        ttl: *ttl,
        renews: *renews,
    };
    let (handle, claim) = acquire(workspace, &request)?;
    let now = workspace.view.read(&loaded.plan.path, DOCUMENT_LIMIT);
    if now != Blob::Bytes(document.source.text().as_bytes().to_vec())
        && let Err(error) = recheck(workspace, loaded, step.id_text())
    {
        handle.withdraw(workspace)?;
        return Err(TakeError::Failed(error));
    }
    end_left_worker(workspace, &loaded.id, step.id_text())?;
    Ok(TakenClaim {
        until: claim.time.plus(Duration::from_secs(claim.ttl)),
        holder: claim.holder,
        attempt: claim.attempt,
        time: claim.time,
        token: handle.token(),
    })
}

fn recheck(workspace: &Workspace, loaded: &LoadedPlan, id: &str) -> Result<(), Error> {
    workspace.view.forget();
    let loaded = LoadedPlan::load(workspace, Some(&loaded.id))?;
    let steps = &loaded.document()?.steps;
    let states = StepStates::new(steps);
    let at = states.position(id).ok_or_else(|| no_step(id, steps))?;
    check_claimable(&states, at, id)?;
    let step = steps.get(at).ok_or_else(|| no_step(id, steps))?;
    Gates::new(workspace, &loaded.id).require(step)
}

/// Checks that a worker may work on a step: it is ready, or in progress, in which case the claim decides.
fn check_claimable(states: &StepStates<'_>, at: usize, id: &str) -> Result<(), Error> {
    let status = states.status(at);
    let reason = match status {
        StepStatus::InProgress => return Ok(()),
        StepStatus::Pending if states.is_ready(at) => return Ok(()),
        StepStatus::Pending => "not ready",
        other => other.as_str(),
    };
    Err(Error::new(ErrorKind::Refused, format!("`{id}` is {reason} and cannot be claimed"))
        .help("run `canonry run show` to see what each step waits for"))
}
