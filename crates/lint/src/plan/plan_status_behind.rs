//! See `plan_status_behind.md`.

use super::helpers::document;
use super::helpers::status_finding;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::plan::{Plan, StepStatus};
use canonry_model::canon::report::AttemptOutcome;
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "plan-status-behind",
    summary: "pending or blocked step whose last report is a success",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("plan_status_behind.md"),
    check: Check::Plan(check),
};

const HELP: &str = "set the step to `complete`; if it must be repeated, add a report with the reason";

fn check(plan: &Plan, findings: &mut Vec<Finding>) {
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
