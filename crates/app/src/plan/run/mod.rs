//! Executes a plan: dispatches ready steps to their owners' workers, verifies what they report, merges their work, and
//! writes reports and statuses. Deterministic: the only judgement is that of the commands in the plan.
//!
//! The plan and its reports are the state. A run that was killed is continued by the next one.

mod collect_log;
mod effects;
mod others;
mod people;
mod proposals;
pub(super) mod records;
pub(super) mod world;

use super::StepStatus;
use super::committed::CommittedCommands;
use super::edits;
use super::load::{LoadedPlan, no_step};
use super::plan_folder::require_closed_intake;
use crate::attempt::attempt_folder;
use crate::workers::{
    BudgetClock, Job, Notifier, Observer, RunLimits, RunningWorker, UsageLimits, WorkerPool, WorkerState, WorkerStop,
    drive, notify_end, preflight,
};
use crate::{Error, ErrorKind, Workspace, pull_request};
use canonry_model::canon::owners::Isolation;
use canonry_model::canon::plan::PlanStep;
use canonry_runs::exec::{ExecEvent, RunEnd, RunKind, RunLimit, RunOutcome};
use canonry_runs::plan::StepStates;
use canonry_runs::plan::run::{ActiveAttempt, Dispatch, Holdup, PlanRun, PlanWorld as _};
use gix::ObjectId;
use std::time::{Duration, Instant};
use world::{HeldClaim, RepoWorld};

/// Plan and limits of a run.
#[derive(Clone, Debug, Default)]
pub struct RunPlanRequest {
    /// The plan's id; the only plan by default.
    pub plan: Option<String>,
    /// Execute only this step.
    pub only: Option<String>,
    /// Start nothing once a step is blocked.
    pub fail_fast: bool,
    /// Limits that replace those in `owners.yaml`.
    pub limits: RunLimits,
}

/// A run at work.
struct PlanJob<'a> {
    run: PlanRun<RepoWorld<'a>>,
    notifier: Notifier,
    /// Time between two renewals of a claim.
    renewal: Duration,
    /// Since when results wait while nobody works.
    stuck: Option<Instant>,
}

/// Executes a plan, or one step of it.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if the plan or the owners have errors; [`ErrorKind::Refused`] if the commands of the plan are not
/// committed; [`ErrorKind::Internal`] if the file system or git fails. What was started can be continued by another run.
pub fn run(workspace: &Workspace, request: &RunPlanRequest, observer: &dyn Observer) -> Result<RunOutcome, Error> {
    let loaded = LoadedPlan::load_with_reports(workspace, request.plan.as_deref())?;
    let steps = &loaded.document()?.steps;
    if let Some(only) = &request.only {
        StepStates::new(steps).position(only).ok_or_else(|| no_step(only, steps))?;
    }
    let is_asked = |step: &&PlanStep| request.only.as_deref().is_none_or(|only| only == step.id_text());
    let open: Vec<&PlanStep> =
        steps.iter().filter(is_asked).filter(|step| step.status != StepStatus::Complete).collect();
    require_closed_intake(workspace, &loaded.id)?;
    let owners = crate::owners::load(workspace)?;
    let committed = CommittedCommands::load(workspace, &loaded)?;
    for step in &open {
        super::owners::require(workspace, &owners, step)?;
        committed.require(step)?;
        if loaded.report_path(&workspace.layout, step.id_text(), 1).is_none() {
            let message = format!("step `{}` of plan `{}` can have no reports", step.id_text(), loaded.id);
            return Err(Error::new(ErrorKind::Refused, message).help(super::load::NO_REPORT_HELP));
        }
    }
    let repo = workspace.repo()?;
    let clock = BudgetClock::start(owners.budget, &request.limits, UsageLimits::load(workspace));
    let roles = open.iter().filter_map(|step| owners.owner(step.owner.as_ref().map_or("", |owner| &owner.text)));
    pull_request::require_isolation(workspace, roles.clone())?;
    pull_request::require_tool(workspace, roles)?;
    let is_isolated = |step: &&&PlanStep| {
        let owner = step.owner.as_ref().and_then(|role| owners.owner(&role.text));
        owner.is_some_and(|owner| owner.isolation == Isolation::Worktree)
    };
    // One more is the clean checkout in which commands run.
    let trees = open.iter().filter(is_isolated).count().min(clock.budget().workers) + 1;
    for notice in preflight::check(workspace, &attempt_folder(&workspace.env, repo), trees)? {
        observer.event(&ExecEvent::Notice(notice));
    }
    observer.event(&ExecEvent::Budget {
        run: loaded.id.clone(),
        kind: RunKind::Plan,
        budget: clock.budget(),
        open: Some(open.len()),
        log: None,
    });
    let notifier = Notifier::start(workspace, &owners, RunKind::Plan, &loaded.id)?;
    let world = RepoWorld::new(workspace, &loaded, owners, clock, observer)?;
    let mut job = PlanJob {
        notifier,
        run: PlanRun::new(world, loaded.id.clone(), request.only.clone(), request.fail_fast),
        // A claim that is renewed late once or twice still holds.
        renewal: workspace.config.plans.claim_ttl / 3,
        stuck: None,
    };
    // After an error, the attempts stay in progress, and the next run finishes them.
    let end = drive(&mut job)?;
    let plan = LoadedPlan::load(&job.run.world.open()?, Some(&loaded.id))?;
    let steps = &plan.document()?.steps;
    let complete = steps.iter().filter(|step| step.status == StepStatus::Complete).count();
    let attempts = job.clock().attempts();
    let outcome = RunOutcome { run: loaded.id, kind: RunKind::Plan, end, attempts, complete, steps: Some(steps.len()) };
    notify_end(&mut job, &outcome);
    Ok(outcome)
}

fn tip(repo: &gix::Repository) -> Option<ObjectId> {
    repo.head_id().ok().map(gix::Id::detach)
}

/// The branch that is checked out, even if it has no commit.
fn checked_out(repo: &gix::Repository) -> Option<String> {
    // gix opens no repository without a valid HEAD.
    repo.head_name().ok().flatten().map(|name| name.shorten().to_string())
}

impl Job for PlanJob<'_> {
    type Work = ActiveAttempt<HeldClaim>;

    fn clock(&self) -> &BudgetClock {
        &self.run.world.clock
    }

    fn is_cancelled(&self) -> bool {
        self.run.world.env.is_cancelled()
    }

    fn tick(&self, workers: &[WorkerState]) {
        self.run.world.observer.tick(workers);
    }

    fn notice(&self, message: String) {
        self.run.world.event(ExecEvent::Notice(message));
    }

    fn notifier(&mut self) -> &mut Notifier {
        &mut self.notifier
    }

    fn recover(&mut self) -> Result<(), Error> {
        self.run.recover()
    }

    fn dispatch(&mut self, workers: &mut WorkerPool<Self::Work>) -> Result<Option<RunEnd>, Error> {
        let renewal = self.renewal;
        self.run.settle_waiting(|world, attempt| world.keep_claim(&mut attempt.claim, renewal).unwrap_or(true))?;
        let holdup = match self.start_ready(workers) {
            // A plan that is being saved, for example. The workers go on.
            Err(error) if !workers.is_empty() && error.kind != ErrorKind::Interrupted => return Ok(None),
            holdup => holdup?,
        };
        let show = format!("canonry run show {}", self.run.world.plan);
        for (step, request) in &holdup.person {
            self.notifier.needs_person(step, &request.reason, request.next.as_deref().unwrap_or(&show));
        }
        let Some(waiting) = self.run.waiting.first().filter(|_| workers.is_empty()) else {
            self.stuck = None;
            return Ok(if workers.is_empty() { self.end(holdup) } else { None });
        };
        let since = *self.stuck.get_or_insert_with(Instant::now);
        if since.elapsed() > edits::LOCK_WAIT { Err(waiting.error.clone()) } else { Ok(None) }
    }

    fn may_continue(&mut self, attempt: &mut Self::Work) -> Result<bool, Error> {
        self.run.world.keep_claim(&mut attempt.claim, self.renewal)
    }

    /// The attempt of a run that is stopped does not count.
    fn conclude(
        &mut self,
        attempt: Self::Work,
        worker: RunningWorker,
        stop: WorkerStop,
        _others: &mut WorkerPool<Self::Work>,
    ) -> Result<(), Error> {
        let clock = self.run.world.recording.clock;
        let left = worker.finish(stop, &clock, &mut self.run.world.clock);
        self.run.collect(attempt, left)
    }
}

impl PlanJob<'_> {
    /// Starts as many attempts as the plan and the budget allow.
    fn start_ready(&mut self, workers: &mut WorkerPool<ActiveAttempt<HeldClaim>>) -> Result<Holdup, Error> {
        let mut held = Vec::new();
        loop {
            let running: Vec<String> = workers.work().map(|attempt| attempt.record.step.clone()).collect();
            match self.run.start_next(&running, &mut held)? {
                Dispatch::Started { attempt, worker, holdup } => {
                    workers.add(*attempt, worker);
                    if !self.clock().has_room(workers.len()) {
                        return Ok(holdup);
                    }
                }
                Dispatch::Idle(holdup) => return Ok(holdup),
            }
        }
    }

    /// End of the run, if nothing is running and nothing can start.
    fn end(&self, holdup: Holdup) -> Option<RunEnd> {
        if holdup.open == 0 {
            return Some(RunEnd::Complete);
        }
        if holdup.budget {
            return Some(RunEnd::Limit(RunLimit::Call(self.clock().attempts_limit())));
        }
        if let Some(until) = holdup.waiting {
            return (!self.run.world.may_wait(until)).then_some(RunEnd::WaitingUntil(until));
        }
        if !holdup.person.is_empty() {
            return Some(RunEnd::NeedsPerson(holdup.person));
        }
        if !holdup.elsewhere.is_empty() {
            let steps = holdup.elsewhere.into_iter().map(|(step, reason)| (step, reason.into()));
            return Some(RunEnd::HeldElsewhere(steps.collect()));
        }
        Some(RunEnd::NotReady(holdup.not_ready.unwrap_or_default()))
    }
}
