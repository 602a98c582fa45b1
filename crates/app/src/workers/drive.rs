//! The loop of a run: start what can start, watch the workers, conclude what has ended.

use super::budget::BudgetClock;
use super::notify::Notifier;
use super::observer::WorkerState;
use super::result::WorkerStop;
use super::running::RunningWorker;
use crate::{Error, ErrorKind};
use canonry_runs::exec::{RunEnd, RunLimit, RunOutcome};
use std::time::{Duration, Instant};

/// Pause between two looks at the workers.
const POLL: Duration = Duration::from_millis(25);
/// Pause between two looks at the job while nothing else happens: a person may have approved a step, or a limit ended.
const RELOAD: Duration = Duration::from_secs(2);

/// Work of a run: the steps of a plan, or a workflow.
pub(crate) trait Job {
    /// Work of one worker: its task, its records, its claim.
    type Work;

    /// The limits of the run.
    fn clock(&self) -> &BudgetClock;

    /// Whether the run is to be stopped.
    fn is_cancelled(&self) -> bool;

    /// Shows the workers.
    fn tick(&self, workers: &[WorkerState]);

    /// Tells the user something, although the run continues.
    fn notice(&self, message: String);

    /// Notifies a person.
    fn notifier(&mut self) -> &mut Notifier;

    /// Finishes what an earlier run left.
    ///
    /// # Errors
    /// As for [`Self::dispatch`].
    fn recover(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Starts what can be started and adds it to `workers`. Without workers, the result says why the run ends, or is `None`
    /// while it waits, for example for the end of a usage limit. Otherwise it is ignored.
    ///
    /// # Errors
    /// The run cannot continue; its workers are ended, and a later run continues it.
    fn dispatch(&mut self, workers: &mut WorkerPool<Self::Work>) -> Result<Option<RunEnd>, Error>;

    /// Whether a worker may go on. One that may not is ended, and concluded as [`WorkerStop::Stopped`].
    ///
    /// # Errors
    /// As for [`Self::dispatch`].
    fn may_continue(&mut self, work: &mut Self::Work) -> Result<bool, Error> {
        let _ = work;
        Ok(true)
    }

    /// Records what a worker left. It may stop other workers, and starts none.
    ///
    /// # Errors
    /// As for [`Self::dispatch`].
    fn conclude(
        &mut self,
        work: Self::Work,
        worker: RunningWorker,
        stop: WorkerStop,
        others: &mut WorkerPool<Self::Work>,
    ) -> Result<(), Error>;
}

/// The workers of a run.
#[derive(Debug)]
pub(crate) struct WorkerPool<W> {
    active: Vec<(W, RunningWorker)>,
}

impl<W> Default for WorkerPool<W> {
    fn default() -> Self {
        Self { active: Vec::new() }
    }
}

impl<W> WorkerPool<W> {
    /// Adds a worker.
    pub fn add(&mut self, work: W, worker: RunningWorker) {
        self.active.push((work, worker));
    }

    /// Number of active workers.
    pub fn len(&self) -> usize {
        self.active.len()
    }

    /// Whether there are no workers.
    pub fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    /// Active workers, oldest first.
    pub fn work(&self) -> impl Iterator<Item = &W> {
        self.active.iter().map(|(work, _)| work)
    }

    /// Ends the workers whose work is no longer wanted. They are concluded next, as [`WorkerStop::Stopped`].
    pub fn stop(&mut self, is_unwanted: impl Fn(&W) -> bool) {
        for (_, worker) in self.active.iter_mut().filter(|(work, _)| is_unwanted(work)) {
            worker.stop();
        }
    }

    fn states(&self) -> Vec<WorkerState> {
        self.active.iter().map(|(_, worker)| worker.state()).collect()
    }

    /// Takes out a worker that no longer runs.
    fn take_ended<J: Job<Work = W>>(&mut self, job: &mut J) -> Result<Option<(W, RunningWorker, WorkerStop)>, Error> {
        for (at, (work, worker)) in self.active.iter_mut().enumerate() {
            let stop = match worker.poll()? {
                None if !job.may_continue(work)? => {
                    worker.stop();
                    Some(WorkerStop::Stopped)
                }
                stop => stop,
            };
            if let Some(stop) = stop {
                let (work, worker) = self.active.remove(at);
                return Ok(Some((work, worker, stop)));
            }
            if let Some(warning) = worker.warning() {
                job.notice(warning);
            }
        }
        Ok(None)
    }
}

/// Executes a job until nothing is left to do, its budget is used up, or it is cancelled. The job has recorded the end of
/// every worker then.
///
/// # Errors
/// Those of the job, which a person is notified of. Its workers are ended, but not concluded.
pub(crate) fn drive<J: Job>(job: &mut J) -> Result<RunEnd, Error> {
    let mut workers = WorkerPool::default();
    let end = job.recover().and_then(|()| run(job, &mut workers));
    if end.is_err() {
        workers.stop(|_| true);
    }
    match end {
        // The next run continues what was interrupted.
        Err(error) if error.kind == ErrorKind::Interrupted => Ok(RunEnd::Interrupted),
        Err(error) => {
            job.notifier().error(&error);
            finish_notifications(job);
            Err(error)
        }
        end => end,
    }
}

/// Notifies a person of the end of a run.
pub(crate) fn notify_end<J: Job>(job: &mut J, outcome: &RunOutcome) {
    job.notifier().end(outcome);
    finish_notifications(job);
}

fn finish_notifications<J: Job>(job: &mut J) {
    if let Some(problem) = job.notifier().finish() {
        job.notice(problem);
    }
}

pub(super) fn run<J: Job>(job: &mut J, workers: &mut WorkerPool<J::Work>) -> Result<RunEnd, Error> {
    let mut looked: Option<Instant> = None;
    loop {
        let mut has_ended = false;
        while let Some((work, worker, stop)) = workers.take_ended(job)? {
            job.conclude(work, worker, stop, workers)?;
            has_ended = true;
        }
        if job.is_cancelled() {
            interrupt(job, workers)?;
            return Ok(RunEnd::Interrupted);
        }
        if job.clock().time_left().is_zero() {
            interrupt(job, workers)?;
            return Ok(RunEnd::Limit(RunLimit::Call(job.clock().time_limit())));
        }
        if has_ended || looked.is_none_or(|at| at.elapsed() > RELOAD) {
            looked = Some(Instant::now());
            let end = job.dispatch(workers)?;
            if let (Some(end), true) = (end, workers.is_empty()) {
                return Ok(end);
            }
        }
        if let Some(problem) = job.notifier().problem() {
            job.notice(problem);
        }
        job.tick(&workers.states());
        std::thread::sleep(POLL);
    }
}

/// Ends and concludes all workers.
fn interrupt<J: Job>(job: &mut J, workers: &mut WorkerPool<J::Work>) -> Result<(), Error> {
    while !workers.is_empty() {
        let (work, mut worker) = workers.active.remove(0);
        worker.stop();
        job.conclude(work, worker, WorkerStop::Stopped, workers)?;
    }
    Ok(())
}
