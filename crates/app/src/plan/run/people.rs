//! Notifications of a run.

use super::{PlanJob, PlanRunEnd, RunPlanOutcome};
use crate::Error;
use crate::workers::{Job as _, RunEndNotice};

impl PlanJob<'_> {
    /// Tells which steps need a person.
    pub(super) fn notify_people(&mut self, steps: &[(String, String)]) {
        let next = format!("canonry run show {}", self.run.world.plan);
        for (step, reason) in steps {
            self.notifier.needs_person(step, reason, &next);
        }
    }

    /// Tells that the run ended, and waits for the command.
    pub(super) fn notify_end(&mut self, outcome: &RunPlanOutcome) {
        let RunPlanOutcome { complete, steps, .. } = outcome;
        let (word, reason) = match &outcome.end {
            PlanRunEnd::Complete => ("complete", String::new()),
            PlanRunEnd::NeedsPerson(steps) => ("needs_person", list(steps)),
            PlanRunEnd::Budget(limit) => ("budget", format!("; the budget of {limit} is used up")),
            PlanRunEnd::WaitingUntil(until) => ("waiting", format!("; waiting until {until}")),
            PlanRunEnd::HeldElsewhere(steps) => ("held_elsewhere", list(steps)),
            PlanRunEnd::NotReady(step) => ("not_ready", format!("; `{step}` is not ready")),
            PlanRunEnd::Interrupted => ("interrupted", String::new()),
        };
        let message = format!("{complete} of {steps} steps complete{reason}");
        let next = (outcome.end != PlanRunEnd::Complete).then(|| format!("canonry run exec {}", self.run.world.plan));
        self.tell(&RunEndNotice { outcome: word, message, next });
    }

    /// Tells that the run ended with an error.
    pub(super) fn notify_error(&mut self, error: Error) -> Error {
        let next = Some(format!("canonry run exec {}", self.run.world.plan));
        self.tell(&RunEndNotice { outcome: "error", message: error.message.clone(), next });
        error
    }

    fn tell(&mut self, end: &RunEndNotice) {
        self.notifier.end(end);
        if let Some(problem) = self.notifier.finish() {
            self.notice(problem);
        }
    }
}

fn list(steps: &[(String, String)]) -> String {
    steps.iter().map(|(step, reason)| format!("; {step}: {reason}")).collect()
}
