//! Notifications of a run.

use super::event::WorkflowEvent;
use super::{Runner, WorkflowLimit, WorkflowRunEnd};
use crate::Error;
use crate::workers::RunEndNotice;

impl Runner<'_> {
    /// Tells that the run ended, and first that it needs a person.
    pub(super) fn notify_end(&mut self, end: &WorkflowRunEnd) {
        let run = &self.open.folder.id;
        let again = format!("canonry run exec {run}");
        match end {
            WorkflowRunEnd::NeedsPerson(question) => {
                let options = if question.options.is_empty() { "TEXT".to_owned() } else { question.options.join("|") };
                let next = format!("canonry run approve {run} --option {options}");
                self.notifier.needs_person(&question.name, &question.message, &next);
            }
            WorkflowRunEnd::PullRequest(message) => {
                let step = self.open.journal.state.current.as_ref().map(|current| current.step.clone());
                self.notifier.needs_person(&step.unwrap_or_default(), message, &again);
            }
            _ => {}
        }
        let (outcome, message) = match end {
            WorkflowRunEnd::Complete => ("complete", "the workflow is complete".to_owned()),
            WorkflowRunEnd::Aborted(reason) => ("aborted", reason.clone()),
            WorkflowRunEnd::Limit(WorkflowLimit::Call(limit)) => ("limit", format!("the limit of {limit} is reached")),
            WorkflowRunEnd::Limit(WorkflowLimit::MaxSteps(limit)) => ("limit", format!("`max_steps` is {limit}")),
            WorkflowRunEnd::Limit(WorkflowLimit::Iterations(limit, reason)) => {
                ("limit", format!("the limit of {limit} iterations is reached: {reason}"))
            }
            WorkflowRunEnd::NeedsPerson(question) => ("needs_person", question.message.clone()),
            WorkflowRunEnd::PullRequest(message) => ("needs_person", message.clone()),
            WorkflowRunEnd::Inline(step) => ("needs_person", format!("`{step}` has no agent")),
            WorkflowRunEnd::SameFailure(reasons) => ("needs_person", reasons.last().cloned().unwrap_or_default()),
            WorkflowRunEnd::WaitingUntil(until) => ("waiting", format!("waiting until {until}")),
            WorkflowRunEnd::Interrupted => ("interrupted", "the run was stopped".to_owned()),
        };
        let is_over = matches!(end, WorkflowRunEnd::Complete | WorkflowRunEnd::Aborted(_));
        self.tell(&RunEndNotice { outcome, message, next: (!is_over).then_some(again) });
    }

    /// Tells that the run ended with an error.
    pub(super) fn notify_error(&mut self, error: Error) -> Error {
        let next = Some(format!("canonry run exec {}", self.open.folder.id));
        self.tell(&RunEndNotice { outcome: "error", message: error.message.clone(), next });
        error
    }

    fn tell(&mut self, end: &RunEndNotice) {
        self.notifier.end(end);
        if let Some(problem) = self.notifier.finish() {
            self.observer.event(&WorkflowEvent::Notice(problem));
        }
    }
}
