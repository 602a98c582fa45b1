//! Part of `plan-status-contradicted`: pending or blocked step whose last report is a success.

use super::helpers::document;
use super::helpers::status_finding;
use super::plan_status_contradicted::RULE;
use crate::Finding;
use canonry_model::canon::plan::{Plan, StepStatus};
use canonry_model::canon::report::AttemptOutcome;

const HELP: &str = "set the step to `complete`; if it must be repeated, add a report with the reason";

pub(super) fn check(plan: &Plan, findings: &mut Vec<Finding>) {
    let Some(document) = document(plan) else { return };
    for step in &document.steps {
        let status = match step.status {
            StepStatus::Pending => "pending",
            StepStatus::Blocked => "blocked",
            // A step in progress may be a further attempt.
            StepStatus::InProgress | StepStatus::Complete | StepStatus::Unknown => continue,
        };
        let Some((attempt, result)) =
            plan.last_report(step).filter(|(_, result)| result.outcome == AttemptOutcome::Success)
        else {
            continue;
        };
        let message = format!(
            "`{}` is {status}, but the report on its last attempt, {}, says that it succeeded",
            step.id_text(),
            attempt.number
        );
        findings.push(status_finding(&RULE, document, step, result, message).help(HELP));
    }
}
