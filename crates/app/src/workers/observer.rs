//! Live view of a run.

use canonry_runs::exec::ExecEvent;
use std::time::Duration;

/// Receives the events of a run, in order. Implementations decide how to show them.
pub trait Observer {
    /// Something happened.
    fn event(&self, event: &ExecEvent);

    /// The state of the workers, several times a second.
    fn tick(&self, workers: &[WorkerState]) {
        let _ = workers;
    }
}

/// A worker at work.
#[derive(Clone, Debug)]
pub struct WorkerState {
    /// Its task, for people: the id of a step, or a step and its task.
    pub task: String,
    /// The number of the attempt.
    pub attempt: u64,
    /// The role that it has.
    pub owner: String,
    /// Since its start.
    pub elapsed: Duration,
    /// The last line of output; may be empty.
    pub last_line: String,
}
