//! Tasks that a killed run left behind.

use super::Runner;
use crate::Error;
use crate::workers::end_orphan;
use canonry_repo::git::integrate::finish_interrupted;
use canonry_runs::exec::ExecEvent;
use canonry_runs::workflow::event::{RunEvent, TaskEnd, TaskOutcome};

impl Runner<'_> {
    /// Finishes what a kill interrupted in the repository, and ends the workers of a killed run. Their tasks are started again
    /// under new numbers, so that a late answer is refused.
    pub(super) fn end_left_tasks(&mut self) -> Result<(), Error> {
        // A workflow without git has nothing to finish there.
        if let Ok(repo) = self.workspace.repo() {
            finish_interrupted(repo)?;
        }
        let mut events = Vec::new();
        let current = self.open.journal.state.current.iter();
        for task in current.flat_map(|current| &current.tasks).filter(|task| task.end.is_none()) {
            if let Some(worker) = &task.worker {
                end_orphan(worker)?;
            } else if task.owner.is_none() {
                let text = format!("task {} was begun in another session; its answer no longer counts", task.number);
                self.observer.event(&ExecEvent::Notice(text));
            }
            events.push(RunEvent::TaskEnded { number: task.number, end: stopped() });
        }
        if events.is_empty() {
            return Ok(());
        }
        let left = self.open.journal.state.current.iter().flat_map(|current| &current.tasks);
        let left = left.filter(|task| task.end.is_none() && task.branch.is_some());
        let trees: Vec<u64> = left.map(|task| task.number).collect();
        self.open.record(&self.workspace, events)?;
        let step = self.open.journal.state.current.as_ref().map(|current| current.step.clone()).unwrap_or_default();
        self.open.release(&self.workspace, &step, &trees)
    }
}

/// The end of a task that does not count.
pub(in crate::workflow) fn stopped() -> TaskEnd {
    TaskEnd {
        result: TaskOutcome::Stopped,
        output: None,
        answer: String::new(),
        error: None,
        until: None,
        seconds: 0.0,
        usage: Default::default(),
    }
}
