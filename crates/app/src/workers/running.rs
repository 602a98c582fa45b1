//! A worker at work.

use super::observer::WorkerState;
use super::result::{WorkerResult, WorkerStop};
use crate::{Clock, Error, ErrorKind};
use canonry_repo::exec::group::end_group;
use canonry_repo::exec::worker::Worker;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Grace period for a worker that was asked to end.
pub(super) const GRACE: Duration = Duration::from_secs(5);

/// A worker at work. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct RunningWorker {
    worker: Worker,
    role: String,
    task: String,
    attempt: u64,
    timeout: Option<Duration>,
    /// Where its report is looked for, in this order.
    reports: Vec<PathBuf>,
    started: Instant,
    is_stopped: bool,
}

impl RunningWorker {
    pub(super) fn new(
        worker: Worker,
        role: &str,
        task: &str,
        attempt: u64,
        timeout: Option<Duration>,
        reports: Vec<PathBuf>,
    ) -> Self {
        let role = role.to_owned();
        let task = task.to_owned();
        Self { worker, role, task, attempt, timeout, reports, started: Instant::now(), is_stopped: false }
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
            return Ok(Some(WorkerStop::Timeout(timeout)));
        }
        Ok(None)
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

    /// Its result. `stop` is what [`Self::poll`] returned.
    pub fn finish(self, stop: WorkerStop, clock: &Clock) -> WorkerResult {
        let elapsed = self.started.elapsed();
        let output = self.worker.finish();
        WorkerResult::new(stop, &output, &self.reports, elapsed, clock.now())
    }
}

/// Ends the worker of a run that was killed. `identity` is what [`RunningWorker::identity`] returned; a text that is
/// none is ignored. Returns whether there was something to end. A process that only has the same id is left alone.
///
/// # Errors
/// [`ErrorKind::Internal`] if the worker does not end: its files cannot be trusted to stay as they are.
pub(crate) fn end_orphan(identity: &str) -> Result<bool, Error> {
    let Ok(worker) = identity.parse() else { return Ok(false) };
    end_group(&worker, GRACE).map_err(|e| Error::new(ErrorKind::Internal, format!("a worker cannot be ended: {e}")))
}
