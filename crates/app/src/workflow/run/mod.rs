//! Runs a workflow: starts the tasks that the engine asks for, and records what their workers leave.
//!
//! The journal is the state. A run that was killed is continued by the next one.

mod effect;
mod task;

use super::open_run::OpenRun;
use super::resume::{self, ResumeChoice};
use crate::attempt::attempt_folder;
use crate::workers::{
    BudgetClock, Job, Notifier, Observer, RunLimits, RunningWorker, UsageLimits, WorkerPool, WorkerState, WorkerStop,
    drive, notify_end, preflight,
};
use crate::{Environment, Error, ErrorKind, Workspace};
use canonry_model::canon::owners::Owners;
use canonry_repo::fs::lock::HeldLock;
use canonry_repo::git::integrate::finish_interrupted;
use canonry_repo::view::Basis;
use canonry_runs::exec::{ExecEvent, RunEnd, RunKind, RunLimit, RunOutcome};
use canonry_runs::repeated_failures::needs_person;
use canonry_runs::workflow::engine::RunnerAction;
use canonry_runs::workflow::event::{RunEvent, StepOutcome};
use canonry_runs::workflow::expression::evaluate;
use std::path::Path;
use std::sync::Arc;

/// The most iterations of `--until` if no number is given.
const ITERATIONS: u64 = 10;

/// Workflow and limits of a run.
#[derive(Clone, Debug, Default)]
pub struct RunWorkflowRequest {
    /// End after one step.
    pub once: bool,
    /// End after this many steps; 0 for no limit.
    pub max_steps: Option<u64>,
    /// Start the workflow again until this condition holds.
    pub until: Option<String>,
    /// The most iterations of `until`.
    pub iterations: Option<u64>,
    /// Limits that replace those of `owners.yaml`.
    pub limits: RunLimits,
    /// Choice of the definition if it changed since the run began.
    pub resume: ResumeChoice,
    /// Take over a task that a session began. Its answer no longer counts.
    pub take_over: bool,
}

/// A run at work.
pub(super) struct Runner<'a> {
    env: &'a Environment,
    /// Reopened for each dispatch: a run takes long, and others change files meanwhile.
    workspace: Workspace,
    open: OpenRun,
    owners: Option<Owners>,
    observer: &'a dyn Observer,
    clock: BudgetClock,
    notifier: Notifier,
    request: &'a RunWorkflowRequest,
    /// The number of entries that the observer has seen.
    shown: usize,
    steps: usize,
    _lock: HeldLock,
}

/// Task of a worker.
pub(super) struct ActiveTask {
    number: u64,
    step: String,
    /// Whether it has a work tree of its own.
    is_isolated: bool,
}

/// Runs a workflow, by the id of a run, until it ends, a person is needed, or a limit is reached.
///
/// # Errors
/// [`ErrorKind::Contention`] if another process runs it, or a session does the step; [`ErrorKind::Unreadable`] if the definition,
/// the journal or the owners have errors, or if the definition changed in a way that the run cannot follow;
/// [`ErrorKind::Internal`] if the file system failed. What was started can be continued by another run.
pub fn run(
    workspace: Workspace,
    run: &str,
    request: &RunWorkflowRequest,
    observer: &dyn Observer,
) -> Result<RunOutcome, Error> {
    let env = workspace.env.clone();
    let mut open = OpenRun::open(&workspace, run)?;
    let lock = open.folder.lock()?;
    open.journal.refresh()?;
    open.catch_up()?;
    let shown = open.journal.entries.len();
    resume::continue_on(&workspace, &mut open, request.resume)?;
    let owners = task::required_owners(&workspace, open.definition()?)?;
    if let Some(until) = &request.until {
        canonry_runs::workflow::expression::Expression::parse(until)
            .map_err(|e| Error::new(ErrorKind::Usage, format!("`--until {until}`: {e}")))?;
    }
    let budget = owners.as_ref().map(|owners| owners.budget).unwrap_or_default();
    let clock = BudgetClock::start(budget, &request.limits, UsageLimits::load(&workspace));
    // Without git, nothing is committed.
    if let (Some(_), Ok(repo)) = (&owners, workspace.repo()) {
        let candidates = open.definition()?.steps.iter().filter_map(|step| step.fan_out.count()).max();
        let trees = usize::try_from(candidates.unwrap_or_default()).unwrap_or(usize::MAX).min(clock.budget().workers);
        for notice in preflight::check(&workspace, &attempt_folder(&workspace.env, repo), trees)? {
            observer.event(&ExecEvent::Notice(notice));
        }
    }
    let log = open.folder.log();
    observer.event(&ExecEvent::Budget {
        run: open.folder.id.clone(),
        kind: RunKind::Workflow,
        budget: clock.budget(),
        open: None,
        // Shorter, and right for people who run canonry at the top.
        log: Some(log.strip_prefix(workspace.top()?).map(Path::to_owned).unwrap_or(log)),
    });
    // The end of a task is recorded completely even if the run is stopped.
    let recording = Environment { cancel: Arc::default(), ..env.clone() };
    let workspace = Workspace::open(&recording, &Basis::WorkTree)?;
    let notifier = match &owners {
        Some(owners) => Notifier::start(&workspace, owners, RunKind::Workflow, &open.folder.id)?,
        None => Notifier::default(),
    };
    let mut runner =
        Runner { env: &env, workspace, open, owners, observer, clock, notifier, request, shown, steps: 0, _lock: lock };
    let end = drive(&mut runner)?;
    runner.show();
    if end == RunEnd::Complete {
        runner.open.finish_task(&runner.workspace)?;
    }
    let outcome = RunOutcome {
        run: runner.open.folder.id.clone(),
        kind: RunKind::Workflow,
        end,
        attempts: runner.clock.attempts(),
        complete: runner.steps,
        steps: None,
    };
    notify_end(&mut runner, &outcome);
    Ok(outcome)
}

impl Job for Runner<'_> {
    type Work = ActiveTask;

    fn clock(&self) -> &BudgetClock {
        &self.clock
    }

    fn is_cancelled(&self) -> bool {
        self.env.is_cancelled()
    }

    fn tick(&self, workers: &[WorkerState]) {
        self.observer.tick(workers);
    }

    fn notice(&self, message: String) {
        self.observer.event(&ExecEvent::Notice(message));
    }

    fn notifier(&mut self) -> &mut Notifier {
        &mut self.notifier
    }

    fn recover(&mut self) -> Result<(), Error> {
        // A workflow without git has nothing to finish there.
        if let Ok(repo) = self.workspace.repo() {
            finish_interrupted(repo)?;
        }
        self.open.end_left_tasks(&self.workspace, self.request.take_over)
    }

    fn dispatch(&mut self, workers: &mut WorkerPool<ActiveTask>) -> Result<Option<RunEnd>, Error> {
        self.workspace.view.forget();
        loop {
            let before = self.open.journal.state.ended_steps.len();
            let action = self.advance()?;
            self.show();
            self.steps += self.open.journal.state.ended_steps.len() - before;
            // A step may end before all its tasks do.
            let state = &self.open.journal.state;
            workers.stop(|work| state.running(work.number).is_none());
            if !workers.work().all(|work| state.running(work.number).is_some()) {
                return Ok(None);
            }
            let is_between_steps = state.current.is_none() && !state.is_ended();
            if let Some(limit) = self.step_limit().filter(|_| is_between_steps && state.question.is_none()) {
                return Ok(Some(RunEnd::Limit(RunLimit::Call(limit))));
            }
            match action {
                RunnerAction::Record(_) => {}
                RunnerAction::Start(specs) => {
                    let mut started = false;
                    for spec in specs {
                        if !self.clock.has_room(workers.len()) {
                            break;
                        }
                        if !self.clock.has_attempts() {
                            let limit = RunLimit::Call(self.clock.attempts_limit());
                            return Ok(Some(RunEnd::Limit(limit)));
                        }
                        if let Some(end) = self.start(spec, workers)? {
                            return Ok(Some(end));
                        }
                        started = true;
                    }
                    if !started {
                        return Ok(None);
                    }
                }
                RunnerAction::WaitUntil(until) if self.clock.may_wait(self.env.clock.now(), until) => return Ok(None),
                RunnerAction::Ended => {
                    // Somebody aborted it.
                    if workers.is_empty() {
                        self.open.leave_step(&self.workspace)?;
                    }
                    if let Some(end) = self.end_iteration()? {
                        return Ok(Some(end));
                    }
                }
                action => return Ok(self.open.end_at(&action)),
            }
        }
    }

    fn may_continue(&mut self, work: &mut ActiveTask) -> Result<bool, Error> {
        self.open.journal.refresh_if_changed()?;
        let state = &self.open.journal.state;
        Ok(!state.is_ended() && state.running(work.number).is_some())
    }

    fn conclude(
        &mut self,
        work: ActiveTask,
        worker: RunningWorker,
        stop: WorkerStop,
        _others: &mut WorkerPool<ActiveTask>,
    ) -> Result<(), Error> {
        let result = worker.finish(stop, &self.env.clock, &mut self.clock);
        self.end_task(&work, &result)
    }
}

impl Runner<'_> {
    fn advance(&mut self) -> Result<RunnerAction, Error> {
        // The limit counts steps: record one event at a time, and look after each step.
        let ended = self.open.journal.state.ended_steps.len();
        loop {
            match self.open.advance_once(&self.workspace)? {
                RunnerAction::Record(_) if self.open.journal.state.ended_steps.len() == ended => {}
                action => return Ok(action),
            }
        }
    }

    /// The limit of steps that is reached.
    fn step_limit(&self) -> Option<String> {
        if self.request.once {
            return (self.steps > 0).then(|| "1 step (`--once`)".to_owned());
        }
        self.request
            .max_steps
            .filter(|limit| *limit > 0 && self.steps as u64 >= *limit)
            .map(|limit| format!("{limit} steps"))
    }

    /// Shows the entries that are new.
    fn show(&mut self) {
        for entry in self.open.journal.entries.iter().skip(self.shown) {
            // The start of a process says nothing that its task does not say.
            if !matches!(entry.event, RunEvent::WorkerStarted { .. }) {
                self.observer.event(&ExecEvent::Journal(entry.clone()));
            }
            if let RunEvent::Notified { gate, message, .. } = &entry.event {
                self.notifier.notification(gate, message);
            }
        }
        self.shown = self.open.journal.entries.len();
    }

    /// After the end of the workflow: the end of the run, or another iteration.
    fn end_iteration(&mut self) -> Result<Option<RunEnd>, Error> {
        let state = &self.open.journal.state;
        let end = self.open.end_at(&RunnerAction::Ended);
        let Some(until) = &self.request.until else { return Ok(end) };
        let last = state.ended_steps.iter().rev().find(|ended| ended.outcome == StepOutcome::Done);
        let keywords = last.map_or(&[][..], |last| &last.keywords);
        let output = last.and_then(|last| last.output.clone());
        let holds =
            self.open.with_engine(|engine| evaluate(until, &|name| engine.lookup(name, output.as_ref()), keywords))?;
        let reason = match (end, holds) {
            (Some(RunEnd::Aborted(reason)), _) => reason,
            (end, Ok(true)) => return Ok(end),
            (_, Ok(false)) => format!("`{until}` does not hold"),
            (_, Err(error)) => error.to_string(),
        };
        let mut reasons = state.iteration_reasons.clone();
        reasons.push(reason.clone());
        if needs_person(&reasons) {
            return Ok(Some(RunEnd::SameFailure(reasons)));
        }
        let limit = self.request.iterations.unwrap_or(ITERATIONS);
        if state.iteration >= limit {
            return Ok(Some(RunEnd::Limit(RunLimit::Iterations(limit, reason))));
        }
        let iteration = state.iteration + 1;
        self.open.record(&self.workspace, vec![RunEvent::IterationStarted { iteration, reason: Some(reason) }])?;
        Ok(None)
    }
}
