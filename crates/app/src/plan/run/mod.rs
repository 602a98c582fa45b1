//! Executes a plan: dispatches ready steps to their owners' workers, verifies what they report, merges their work, and
//! writes reports and statuses. Deterministic: the only judgement is that of the commands in the plan.
//!
//! The plan and its reports are the state. A run that was killed is continued by the next one.

mod collect_log;
mod conclude;
mod dispatch;
pub mod event;
pub(super) mod records;
mod recover;
mod verdict;

use super::StepStatus;
use super::committed::CommittedCommands;
use super::load::{LoadedPlan, no_step};
use super::plan_folder::require_closed_intake;
use super::{edits, episode};
use crate::log::take_pending;
use crate::workers::{
    BudgetClock, DriveEnd, Job, Observer, RunLimits, RunningWorker, WorkerPool, WorkerResult, WorkerState, WorkerStop,
    drive,
};
use crate::{Environment, Error, ErrorKind, RepoPath, Timestamp, Workspace, commit};
use canonry_model::canon::owners::{Owner, Owners};
use canonry_model::canon::plan::PlanStep;
use canonry_repo::apply::Session;
use canonry_repo::git::commit::{CommitRequest, CommitSelection, restage, trial};
use canonry_repo::view::Basis;
use canonry_runs::plan::StepStates;
use dispatch::ActiveAttempt;
use event::PlanRunEvent;
use records::{AttemptRecord, Records};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

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

/// Result of a run.
#[derive(Clone, Debug)]
pub struct RunPlanOutcome {
    /// The plan's id.
    pub plan: String,
    /// Why it ended.
    pub end: PlanRunEnd,
    /// Number of attempts that it started.
    pub attempts: u64,
    /// Number of complete steps, and of all steps.
    pub complete: usize,
    /// The number of steps.
    pub steps: usize,
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanRunEnd {
    /// Every step is complete, or the one that was to be executed.
    Complete,
    /// A person is needed for these steps, with the reasons.
    NeedsPerson(Vec<(String, String)>),
    /// This limit of the budget is used up.
    Budget(String),
    /// Every tool that could continue accepts no work until then.
    WaitingUntil(Timestamp),
    /// Someone else works on these steps, or has done them, with the reasons.
    HeldElsewhere(Vec<(String, String)>),
    /// The step cannot start yet.
    NotReady(String),
    /// The run was stopped; it can be continued.
    Interrupted,
}

/// A run.
pub(super) struct PlanRun<'a> {
    /// Its cancellation stops the run.
    env: &'a Environment,
    /// The same without cancellation: the end of an attempt is recorded completely.
    recording: Environment,
    plan: String,
    owners: Owners,
    clock: BudgetClock,
    only: Option<String>,
    fail_fast: bool,
    /// The branch that was checked out when the run began.
    onto: Option<String>,
    /// Attempts that ended, and whose result the repository does not allow to record yet.
    waiting: Vec<Waiting>,
    /// Steps that this run cannot start, with the reasons.
    unstartable: BTreeMap<String, String>,
    records: Records,
    /// The folder of run journals in the canon.
    runs: RepoPath,
    observer: &'a dyn Observer<PlanRunEvent>,
    /// Time between two renewals of a claim.
    renewal: Duration,
}

/// Executes a plan, or one step of it.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if the plan or the owners have errors; [`ErrorKind::Refused`] if the commands of the plan are not
/// committed; [`ErrorKind::Internal`] if the file system or git fails. What was started can be continued by another run.
pub fn run(
    workspace: &Workspace,
    request: &RunPlanRequest,
    observer: &dyn Observer<PlanRunEvent>,
) -> Result<RunPlanOutcome, Error> {
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
    // Before a worker is paid.
    trial(repo)?;
    let clock = BudgetClock::start(owners.budget, &request.limits);
    observer.event(&PlanRunEvent::Budget { plan: loaded.id.clone(), budget: clock.budget(), open: open.len() });
    let mut run = PlanRun {
        env: &workspace.env,
        recording: Environment { cancel: Arc::default(), ..workspace.env.clone() },
        records: Records::new(workspace, &loaded.id)?,
        runs: workspace.layout.runs(),
        plan: loaded.id,
        owners,
        clock,
        only: request.only.clone(),
        fail_fast: request.fail_fast,
        onto: checked_out(repo),
        waiting: Vec::new(),
        unstartable: BTreeMap::new(),
        observer,
        // A claim that is renewed late once or twice still holds.
        renewal: workspace.config.plans.claim_ttl / 3,
    };
    // After an error, the attempts stay in progress, and the next run finishes them.
    let ended = run.recover().and_then(|()| drive(&mut run));
    let end = match ended {
        // An attempt whose commands were interrupted is continued by the next run.
        Err(error) if error.kind == ErrorKind::Interrupted => PlanRunEnd::Interrupted,
        ended => match ended? {
            DriveEnd::Done(end) => end,
            DriveEnd::Cancelled => PlanRunEnd::Interrupted,
            DriveEnd::OutOfTime => PlanRunEnd::Budget(run.clock.time_limit()),
        },
    };
    let steps = run.steps()?;
    let complete = steps.iter().filter(|step| step.status == StepStatus::Complete).count();
    Ok(RunPlanOutcome { plan: run.plan.clone(), end, attempts: run.clock.attempts(), complete, steps: steps.len() })
}

/// An attempt that ended, and whose result cannot be recorded yet.
struct Waiting {
    attempt: ActiveAttempt,
    /// Its worker's result; `None` if it could not be started.
    result: Option<WorkerResult>,
    since: Instant,
    error: Error,
}

/// The branch that is checked out, even if it has no commit.
fn checked_out(repo: &gix::Repository) -> Option<String> {
    // gix opens no repository without a valid HEAD.
    repo.head_name().ok().flatten().map(|name| name.shorten().to_string())
}

impl Job for PlanRun<'_> {
    type Work = ActiveAttempt;
    type End = PlanRunEnd;

    fn clock(&self) -> &BudgetClock {
        &self.clock
    }

    fn is_cancelled(&self) -> bool {
        self.env.is_cancelled()
    }

    fn tick(&self, workers: &[WorkerState]) {
        self.observer.tick(workers);
    }

    fn dispatch(&mut self, workers: &mut WorkerPool<ActiveAttempt>) -> Result<Option<PlanRunEnd>, Error> {
        self.settle_waiting()?;
        let holdup = match self.start_ready(workers) {
            // A plan that is being saved, for example. The workers go on.
            Err(error) if !workers.is_empty() && error.kind != ErrorKind::Interrupted => return Ok(None),
            holdup => holdup?,
        };
        if !workers.is_empty() {
            return Ok(None);
        }
        match self.waiting.first() {
            Some(waiting) if waiting.since.elapsed() > edits::LOCK_WAIT => Err(waiting.error.clone()),
            Some(_) => Ok(None),
            None => Ok(self.end(holdup)),
        }
    }

    fn may_continue(&mut self, attempt: &mut ActiveAttempt) -> Result<bool, Error> {
        self.keep_claim(attempt)
    }

    /// The attempt of a run that is stopped does not count.
    fn conclude(
        &mut self,
        attempt: ActiveAttempt,
        worker: RunningWorker,
        stop: WorkerStop,
        _others: &mut WorkerPool<ActiveAttempt>,
    ) -> Result<(), Error> {
        self.collect(attempt, worker, stop)
    }
}

impl PlanRun<'_> {
    /// Opens the repository anew: a run takes long, and others change files meanwhile.
    fn open(&self) -> Result<Workspace, Error> {
        Workspace::open(&self.recording, &Basis::WorkTree)
    }

    /// Checks that the branch on which the run began is checked out: it gets the work.
    fn require_branch(&self, workspace: &Workspace) -> Result<(), Error> {
        let now = checked_out(workspace.repo()?);
        if now == self.onto {
            return Ok(());
        }
        let name = |branch: &Option<String>| branch.clone().unwrap_or_else(|| "a commit without a branch".to_owned());
        let began = name(&self.onto);
        let message = format!("the run began on {began}, and {} is checked out now", name(&now));
        Err(Error::new(ErrorKind::Refused, message).help(format!("run `git switch {began}`, then this again")))
    }

    fn steps(&self) -> Result<Vec<PlanStep>, Error> {
        let loaded = LoadedPlan::load(&self.open()?, Some(&self.plan))?;
        Ok(loaded.document()?.steps.clone())
    }

    fn step<'l>(&self, loaded: &'l LoadedPlan, id: &str) -> Result<Option<&'l PlanStep>, Error> {
        let steps = &loaded.document()?.steps;
        Ok(StepStates::new(steps).position(id).and_then(|at| steps.get(at)))
    }

    fn owner(&self, role: &str) -> Option<&Owner> {
        self.owners.owner(role)
    }

    /// Sets the status of a step; the caller holds the lock.
    fn set_status(
        &self,
        workspace: &Workspace,
        session: &mut Session,
        step: &str,
        status: StepStatus,
    ) -> Result<(), Error> {
        workspace.view.forget();
        let loaded = LoadedPlan::load(workspace, Some(&self.plan))?;
        let steps = &loaded.document()?.steps;
        let at = StepStates::new(steps).position(step).ok_or_else(|| no_step(step, steps))?;
        if steps.get(at).is_some_and(|step| step.status == status) {
            return Ok(());
        }
        edits::write(workspace, session, edits::status_edit(workspace, &loaded, at, status)?)
    }

    /// The path of the report on an attempt.
    fn report_path(
        &self,
        workspace: &Workspace,
        loaded: &LoadedPlan,
        record: &AttemptRecord,
    ) -> Result<RepoPath, Error> {
        loaded.report_path(&workspace.layout, &record.step, record.attempt).ok_or_else(|| {
            let message = format!("step `{}` of plan `{}` can have no reports", record.step, self.plan);
            Error::new(ErrorKind::Refused, message).help(super::load::NO_REPORT_HELP)
        })
    }

    /// Commits the plan and new reports: the branch then says what is done. A commit that
    /// is refused, for example by a hook, loses nothing: the files stay in the work tree.
    fn commit_records(&self, workspace: &Workspace, reports: &[RepoPath], step: &str, status: StepStatus) {
        let Ok(loaded) = LoadedPlan::load(workspace, Some(&self.plan)) else { return };
        let paths: Vec<_> = std::iter::once(&loaded.plan.path)
            .chain(reports)
            .map(|path| workspace.view.full(path).as_bstr().to_owned())
            .collect();
        let message = format!("plan: {step} of {} is {}\n", self.plan, status.as_str());
        let request = CommitRequest {
            selection: CommitSelection::Literal(&paths),
            message: &message,
            hooks: workspace.env.git_hooks,
        };
        let committed = match commit::run(&workspace.env, &request) {
            // A killed run may have moved HEAD and not yet the index.
            Ok(None) => workspace.repo().and_then(|repo| Ok(restage(repo, request.selection)?)),
            committed => committed.map(|_| ()),
        };
        if let Err(error) = committed {
            self.observer.event(&PlanRunEvent::Notice(format!("the plan and its reports are not committed: {error}")));
        }
    }

    /// Records an attempt as an episode of the memory, and takes what hooks logged meanwhile. Without it, nothing is lost but a
    /// lesson.
    fn learn(&self, record: &AttemptRecord) {
        let recorded = self.open().and_then(|workspace| {
            let loaded = LoadedPlan::load_with_reports(&workspace, Some(&self.plan))?;
            let Some(step) = self.step(&loaded, &record.step)? else { return Ok(()) };
            if let Some(attempt) = loaded.plan.attempts_at(step).find(|attempt| attempt.number == record.attempt) {
                episode::record_attempt(&workspace, &self.plan, attempt)?;
            }
            take_pending(&workspace).map(drop)
        });
        if let Err(error) = recorded {
            self.observer.event(&PlanRunEvent::Notice(format!("the attempt is not in the memory log: {error}")));
        }
    }
}
