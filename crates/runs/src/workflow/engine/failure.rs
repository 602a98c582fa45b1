//! Failed steps: retries, the routes for failures, and when a person is needed.

use super::super::event::{Destination, RunEvent, StepOutcome};
use super::super::run_state::CurrentStep;
use super::super::target::{RunAction, StepTarget};
use super::{Engine, SAME_FAILURES};
use canonry_model::canon::workflow::WorkflowStep;
use canonry_text::error_text::same_cause;

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
        let same = earlier.iter().rev().take_while(|earlier| same_cause(earlier, &reason)).count();
        if same + 1 >= SAME_FAILURES {
            return ended(StepOutcome::Failed, Destination::Person);
        }
        let retries = match (step.retry.bound(), step.retry.asked_for()) {
            (Some(bound), _) => bound,
            (None, Some(_)) => 0,
            (None, None) if step.evaluation.is_some() => self.default_retries.max(1),
            (None, None) => self.default_retries,
        };
        if current.attempt <= retries {
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
        let Some(target) = target else { return ended(StepOutcome::Failed, Destination::Person) };
        let next = self.destination(&target.text, step);
        let goes_on =
            matches!(self.graph.resolve(&target.text), Some(StepTarget::Action(RunAction::Continue | RunAction::Skip)));
        ended(if goes_on { StepOutcome::Skipped } else { StepOutcome::Failed }, next)
    }
}
