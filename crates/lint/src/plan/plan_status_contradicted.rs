//! See `plan_status_contradicted.md`.

use super::helpers::{document, status_finding, status_location};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::plan::{Plan, StepStatus};
use canonry_model::canon::report::{AttemptOutcome, StepAttempt};
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "plan-status-contradicted",
    summary: "status of a step contradicts its reports",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("plan_status_contradicted.md"),
    check: Check::Each(&[
        Check::Plan(check),
        Check::At(Defaults::both(Severity::Warning), &Check::Plan(check_unreported)),
        Check::At(Defaults::both(Severity::Warning), &Check::Plan(check_behind)),
    ]),
};

const HELP: &str = "set the step to `pending` or `blocked`, or add the report on the successful attempt";

const BEHIND_HELP: &str = "set the step to `complete`; if it must be repeated, add a report with the reason";

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

/// Complete step without a valid report.
fn check_unreported(plan: &Plan, findings: &mut Vec<Finding>) {
    let Some(document) = document(plan) else { return };
    // A plan that is maintained by hand has no reports.
    if plan.attempts.is_empty() {
        return;
    }
    let complete = document.steps.iter().filter(|step| step.status == StepStatus::Complete && step.id.is_some());
    for step in complete.filter(|step| plan.last_report(step).is_none()) {
        let invalid: Vec<&StepAttempt> = plan.attempts_at(step).collect();
        let what = if invalid.is_empty() { "has no report" } else { "has no valid report" };
        let message = format!("`{}` is complete, but {what}", step.id_text());
        let help = "add the report `reports/<plan>/<step>.<attempt>.json`, or set the step to `pending`";
        let finding = RULE.at(status_location(document, step), message).help(help);
        let label = "this report is invalid and does not count";
        findings.push(
            invalid.iter().fold(finding, |finding, attempt| finding.related(Location::file(&attempt.path), label)),
        );
    }
}

/// Pending or blocked step whose last report is a success.
fn check_behind(plan: &Plan, findings: &mut Vec<Finding>) {
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
        findings.push(status_finding(&RULE, document, step, result, message).help(BEHIND_HELP));
    }
}
