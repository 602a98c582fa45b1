//! Failed steps: retries, the routes for failures, and when a person is needed.

use super::super::event::{Destination, RunEvent, StepOutcome};
use super::super::run_state::CurrentStep;
use super::super::target::{RunAction, StepTarget};
use super::Engine;
use crate::repeated_failures::needs_person;
use canonry_model::canon::workflow::WorkflowStep;
use canonry_text::node::SpannedText;

/// Kind of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FailureKind {
    Step,
    /// One child of a `fail-fast` step.
    AnyChild,
    AllChildren,
}

impl Engine<'_> {
    /// The events after a failed attempt at a step.
    pub(super) fn fail(
        &self,
        step: &WorkflowStep,
        current: &CurrentStep,
        reason: String,
        kind: FailureKind,
    ) -> Vec<RunEvent> {
        let ended = |outcome: StepOutcome, next: Destination| {
            vec![self.step_ended(step, current, outcome, Some(reason.clone()), next)]
        };
        let earlier = self.state.failures.get(&step.name.text).map_or(&[][..], Vec::as_slice);
        if needs_person(earlier.iter().chain([&reason])) {
            return ended(StepOutcome::Failed, Destination::Person);
        }
        let retries = match (step.retry.bound(), step.retry.asked_for()) {
            (Some(bound), _) => bound,
            (None, Some(_)) => 0,
            (None, None) if step.evaluation.is_some() => 1,
            // A workflow decides itself what a failure means.
            (None, None) => 0,
        };
        // `max_retries` counts the attempts of all visits.
        let attempts = if step.retry.bound().is_some() { self.attempts(step) } else { current.attempt };
        if attempts <= retries {
            let step = step.name.text.clone();
            let attempt = current.attempt + 1;
            return vec![RunEvent::StepRetried { step, attempt, reason }];
        }
        let exhausted = step.retry.exhausted.as_ref().filter(|_| retries > 0);
        let of_kind = match kind {
            FailureKind::Step => None,
            FailureKind::AnyChild => step.fan_out.on_any_failure.as_ref(),
            FailureKind::AllChildren => step.fan_out.on_all_failed.as_ref(),
        };
        let target = exhausted.or(of_kind).or(step.on_failure.as_ref());
        let (outcome, next) = self.after_retries(step, target);
        ended(outcome, next)
    }

    /// The events that end a visit beyond `max_retries`, whatever route led to it, before anything is started. The step's
    /// route for this case is taken once; after that, a person decides.
    pub(super) fn end_excess_visit(&self, step: &WorkflowStep, current: &CurrentStep) -> Option<Vec<RunEvent>> {
        let allowed = step.retry.bound()? + 1;
        let attempts = self.attempts(step);
        if !current.tasks.is_empty() || attempts <= allowed {
            return None;
        }
        let target = step.retry.exhausted.as_ref().or(step.on_failure.as_ref());
        let (outcome, next) = self.after_retries(step, target.filter(|_| attempts == allowed + 1));
        let reason = format!("`max_retries` allows {allowed} attempts, and a route leads to the step again");
        Some(vec![self.step_ended(step, current, outcome, Some(reason), next)])
    }

    /// Attempts at a step that count for `max_retries`.
    fn attempts(&self, step: &WorkflowStep) -> u64 {
        self.state.attempts.get(&step.name.text).copied().unwrap_or_default()
    }

    /// The outcome of a step that is not repeated, and where its route for this case leads.
    fn after_retries(&self, step: &WorkflowStep, target: Option<&SpannedText>) -> (StepOutcome, Destination) {
        let Some(target) = target else { return (StepOutcome::Failed, Destination::Person) };
        let next = self.destination(&target.text, step);
        let goes_on =
            matches!(self.graph.resolve(&target.text), Some(StepTarget::Action(RunAction::Continue | RunAction::Skip)));
        (if goes_on { StepOutcome::Skipped } else { StepOutcome::Failed }, next)
    }
}
