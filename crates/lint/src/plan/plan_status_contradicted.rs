//! See `plan_status_contradicted.md`.

use super::helpers::document;
use super::helpers::status_finding;
use super::plan_complete_unreported;
use super::plan_status_behind;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::plan::{Plan, StepStatus};
use canonry_model::canon::report::AttemptOutcome;
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "plan-status-contradicted",
    summary: "status of a step contradicts its reports",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("plan_status_contradicted.md"),
    check: Check::Each(&[
        Check::Plan(check),
        Check::At(Defaults::both(Severity::Warning), &Check::Plan(plan_complete_unreported::check)),
        Check::At(Defaults::both(Severity::Warning), &Check::Plan(plan_status_behind::check)),
    ]),
};

const HELP: &str = "set the step to `pending` or `blocked`, or add the report on the successful attempt";

fn check(plan: &Plan, findings: &mut Vec<Finding>) {
    let Some(document) = document(plan) else { return };
    for step in document.steps.iter().filter(|step| step.status == StepStatus::Complete) {
        let Some((attempt, result)) = plan.last_report(step) else { continue };
        let what = match result.outcome {
            AttemptOutcome::Success => continue,
            AttemptOutcome::Failure => "failed",
            AttemptOutcome::Blocked => "is blocked",
        };
        let message = format!(
            "`{}` is complete, but the report on its last attempt, {}, says that it {what}",
            step.id_text(),
            attempt.number
        );
        findings.push(status_finding(&RULE, document, step, result, message).help(HELP));
    }
}
