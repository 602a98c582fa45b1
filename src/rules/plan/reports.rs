//! What the rules on a plan and its reports share.

use crate::canon::attempt::{AttemptOutcome, AttemptResult, StepAttempt};
use crate::canon::plan::{Plan, PlanDocument, PlanStep};
use crate::finding::{Location, RawFinding};

/// The last valid report on a step, with its attempt.
pub(super) fn last<'a>(plan: &'a Plan, step: &PlanStep) -> Option<(&'a StepAttempt, &'a AttemptResult)> {
    let valid = of_step(plan, step).filter_map(|attempt| Some((attempt, attempt.result.as_ref()?)));
    valid.max_by_key(|(attempt, _)| attempt.number)
}

/// All reports on a step.
pub(super) fn of_step<'a>(plan: &'a Plan, step: &PlanStep) -> impl Iterator<Item = &'a StepAttempt> {
    let id = step.id_text().to_owned();
    plan.attempts.iter().filter(move |attempt| attempt.step == id)
}

/// Where a step says how far it is.
pub(super) fn status_place(document: &PlanDocument, step: &PlanStep) -> Location {
    Location::at(&document.source, step.status_span.unwrap_or_else(|| step.head()))
}

/// A draft at a step's status that points at the report, too.
pub(super) fn draft(document: &PlanDocument, step: &PlanStep, said: &AttemptResult, message: String) -> RawFinding {
    let label = match said.outcome {
        AttemptOutcome::Success => "the report says that it succeeded",
        AttemptOutcome::Failure => "the report says that it failed",
        AttemptOutcome::Blocked => "the report says that it is blocked",
    };
    RawFinding::new(status_place(document, step), message).related(Location::at(&said.source, said.span), label)
}
