//! Decisions of people, and notifications for them.

use super::world::{Look, RepoWorld};
use super::{PersonRequest, PlanJob, PlanRunEnd, RunPlanOutcome};
use crate::Error;
use crate::plan::{StepStatus, edits};
use crate::workers::{Job as _, RunEndNotice};
use canonry_model::canon::plan::PlanStep;
use canonry_repo::view::{Basis, PathKind};
use canonry_runs::plan::run::PlanWorld as _;

impl RepoWorld<'_> {
    /// Commits what people have decided about steps since the last run, such as a rejection: its report is in no commit.
    pub(super) fn commit_decisions(&self) -> Result<(), Error> {
        let workspace = self.open()?;
        // Excludes a command that writes a decision now.
        let _session = edits::begin_patiently(&workspace)?;
        let Look { workspace, loaded } = self.look()?;
        let Ok(head) = workspace.open_view(&Basis::Commit("HEAD".to_owned())) else { return Ok(()) };
        let records = self.records.all()?;
        let is_at_work = |step: &PlanStep| {
            step.status == StepStatus::InProgress || records.iter().any(|record| record.step == step.id_text())
        };
        for step in loaded.document()?.steps.iter().filter(|step| !is_at_work(step)) {
            let last = loaded.plan.attempts_at(step).max_by_key(|attempt| attempt.number);
            if let Some(last) = last.filter(|last| head.kind(&last.path) == PathKind::Nothing) {
                self.commit_records(&workspace, step.id_text(), last.number, step.status);
            }
        }
        Ok(())
    }
}

impl PlanJob<'_> {
    /// Tells which steps need a person.
    pub(super) fn notify_people(&mut self, steps: &[(String, PersonRequest)]) {
        let show = format!("canonry run show {}", self.run.world.plan);
        for (step, request) in steps {
            self.notifier.needs_person(step, &request.reason, request.next.as_deref().unwrap_or(&show));
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

fn list<R: AsRef<str>>(steps: &[(String, R)]) -> String {
    steps.iter().map(|(step, reason)| format!("; {step}: {}", reason.as_ref())).collect()
}
