//! See `plan_status_behind.md`.

use super::helpers::document;
use super::helpers::{last_report, status_finding};
use crate::canon::report::AttemptOutcome;
use crate::canon::plan::{Plan, StepStatus};
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "plan-status-behind",
    summary: "pending or blocked step whose last report is a success",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("plan_status_behind.md"),
    check: Check::Plan(check),
};

const HELP: &str = "set the step to `complete`; where it is to be done again, say why in a report of its own";

fn check(plan: &Plan, findings: &mut RawFindings) {
    let Some(document) = document(plan) else { return };
    for step in &document.steps {
        let status = match step.status {
            StepStatus::Pending => "pending",
            StepStatus::Blocked => "blocked",
            // One that is in progress may be an attempt more.
            StepStatus::InProgress | StepStatus::Complete | StepStatus::Unknown => continue,
        };
        let Some((attempt, said)) = last_report(plan, step).filter(|(_, said)| said.outcome == AttemptOutcome::Success)
        else {
            continue;
        };
        let message = format!(
            "`{}` is {status}, but its last report, on attempt {}, says that it succeeded",
            step.id_text(),
            attempt.number
        );
        findings.push(status_finding(document, step, said, message).help(HELP));
    }
}
