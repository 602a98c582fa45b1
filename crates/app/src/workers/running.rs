//! A worker at work.

use super::budget::BudgetClock;
use super::observer::WorkerState;
use super::result::{TimeLimit, WorkerResult, WorkerStop};
use crate::{Clock, Error, ErrorKind};
use canonry_model::canon::owners::Owner;
use canonry_repo::exec::group::{end_group, find_marked};
use canonry_repo::exec::worker::Worker;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

/// Grace period for a worker that was asked to end.
pub(super) const GRACE: Duration = Duration::from_secs(5);

/// A worker at work. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct RunningWorker {
    worker: Worker,
    role: String,
    owner: Owner,
    task: String,
    attempt: u64,
    timeout: Option<Duration>,
    /// Where its report is looked for, in this order.
    reports: Vec<PathBuf>,
    started: Instant,
    is_stopped: bool,
    /// When it last did something that is seen, and what.
    active: Instant,
    activity: Activity,
    is_warned: bool,
}

/// Signs of progress: the output of a worker, and its report.
#[derive(Debug, Default, PartialEq)]
struct Activity {
    printed: u64,
    /// Size and time of each file.
    reports: Vec<Option<(u64, Option<SystemTime>)>>,
}

impl RunningWorker {
    pub(super) fn new(
        worker: Worker,
        role: &str,
        owner: Owner,
        task: &str,
        attempt: u64,
        timeout: Option<Duration>,
        reports: Vec<PathBuf>,
    ) -> Self {
        Self {
            worker,
            role: role.to_owned(),
            owner,
            task: task.to_owned(),
            attempt,
            timeout,
            reports,
            started: Instant::now(),
            is_stopped: false,
            active: Instant::now(),
            activity: Activity::default(),
            is_warned: false,
        }
    }

    /// Identity with which a later run ends it, see [`end_orphan`].
    pub fn identity(&self) -> String {
        self.worker.identity().to_string()
    }

    /// Its state, for people.
    pub fn state(&self) -> WorkerState {
        WorkerState {
            task: self.task.clone(),
            attempt: self.attempt,
            owner: self.role.clone(),
            elapsed: self.started.elapsed(),
            last_line: self.worker.last_line(),
        }
    }

    /// Why it no longer runs; `None` if it does. Ends it if its time is over. Does not wait otherwise.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] if the system does not say it.
    pub fn poll(&mut self) -> Result<Option<WorkerStop>, Error> {
        if self.is_stopped {
            return Ok(Some(WorkerStop::Stopped));
        }
        let failed = |e: std::io::Error| Error::new(ErrorKind::Internal, format!("a worker cannot be watched: {e}"));
        if let Some(exit) = self.worker.poll().map_err(failed)? {
            return Ok(Some(WorkerStop::Exit(exit)));
        }
        if let Some(timeout) = self.timeout.filter(|timeout| self.started.elapsed() > *timeout) {
            self.end();
            return Ok(Some(WorkerStop::Timeout(TimeLimit::Total(timeout))));
        }
        if let Some(timeout) = self.owner.idle_timeout
            && self.idle_time() > timeout
        {
            self.end();
            return Ok(Some(WorkerStop::Timeout(TimeLimit::Idle(timeout))));
        }
        Ok(None)
    }

    /// The warning that half of its idle timeout is over; once until it makes progress.
    pub fn warning(&mut self) -> Option<String> {
        let timeout = self.owner.idle_timeout?;
        if self.is_warned || self.active.elapsed() < timeout / 2 {
            return None;
        }
        self.is_warned = true;
        let idle = self.active.elapsed().as_secs();
        let left = timeout.saturating_sub(self.active.elapsed()).as_secs();
        Some(format!("{}: attempt {} printed nothing for {idle} s; it is stopped in {left} s", self.task, self.attempt))
    }

    /// The time since its output or its report last changed.
    fn idle_time(&mut self) -> Duration {
        let report =
            |path: &PathBuf| std::fs::symlink_metadata(path).ok().map(|meta| (meta.len(), meta.modified().ok()));
        let activity = Activity { printed: self.worker.printed(), reports: self.reports.iter().map(report).collect() };
        if activity != self.activity {
            self.activity = activity;
            self.active = Instant::now();
            self.is_warned = false;
        }
        self.active.elapsed()
    }

    /// Ends it, because its run is stopped or its work is no longer wanted.
    pub fn stop(&mut self) {
        self.is_stopped = true;
        self.end();
    }

    fn end(&mut self) {
        // A group that cannot be ended now is ended by the next run.
        let _ = self.worker.stop(GRACE);
    }

    /// Its result, counted in the budget of its run. `stop` is what [`Self::poll`] returned.
    pub fn finish(self, stop: WorkerStop, clock: &Clock, budget: &mut BudgetClock) -> WorkerResult {
        let elapsed = self.started.elapsed();
        let output = self.worker.finish();
        let mut result = WorkerResult::new(stop, &output, &self.reports, elapsed, clock.now());
        budget.settle(&self.owner, &mut result, clock.now());
        result
    }
}

/// Ends the worker of a run that was killed. `identity` is what [`RunningWorker::identity`] returned, or the mark of a worker
/// that was about to start. Returns whether there was something to end. A process that only has the same id is left alone.
///
/// # Errors
/// [`ErrorKind::Internal`] if the worker does not end: its files cannot be trusted to stay as they are.
pub(crate) fn end_orphan(identity: &str) -> Result<bool, Error> {
    let Some(worker) = identity.parse().ok().or_else(|| find_marked(identity)) else { return Ok(false) };
    end_group(&worker, GRACE).map_err(|e| Error::new(ErrorKind::Internal, format!("a worker cannot be ended: {e}")))
}
