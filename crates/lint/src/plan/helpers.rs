//! Helpers of the plan rules: access to the document, its schema violations and the reports on its steps.

use crate::{Finding, Rule};
use canonry_model::canon::plan::{Plan, PlanDocument, PlanStep};
use canonry_model::canon::report::{AttemptOutcome, AttemptResult};
use canonry_model::canon::schema::Violation;
use canonry_model::finding::Location;

/// The document of a plan, if the file is readable.
pub(super) fn document(plan: &Plan) -> Option<&PlanDocument> {
    plan.document.as_deref().ok()
}

/// The violations of the built-in schema whose keyword is `is_wanted`. Each keyword belongs to one rule, so that every
/// violation is reported once: `additionalProperties`, `enum` and `pattern` have rules of their own, and `plan-schema`
/// reports the rest.
pub(super) fn built_in(document: &PlanDocument, is_wanted: fn(&str) -> bool) -> impl Iterator<Item = &Violation> {
    document.violations.iter().filter(move |v| v.team.is_none() && is_wanted(&v.keyword))
}

/// The location of the status of a step.
pub(super) fn status_location(document: &PlanDocument, step: &PlanStep) -> Location {
    Location::at(&document.source, step.status_span.unwrap_or_else(|| step.head()))
}

/// A finding at the status of a step, with the report as related location.
pub(super) fn status_finding(
    rule: &'static Rule,
    document: &PlanDocument,
    step: &PlanStep,
    result: &AttemptResult,
    message: String,
) -> Finding {
    let label = match result.outcome {
        AttemptOutcome::Success => "the report says that the step succeeded",
        AttemptOutcome::Failure => "the report says that the step failed",
        AttemptOutcome::Blocked => "the report says that the step is blocked",
    };
    rule.at(status_location(document, step), message).related(Location::at(&result.source, result.span), label)
}
