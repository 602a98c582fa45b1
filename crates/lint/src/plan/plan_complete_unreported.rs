//! Part of `plan-status-contradicted`: complete step without a valid report.

use super::helpers::document;
use super::helpers::status_location;
use super::plan_status_contradicted::RULE;
use crate::Finding;
use canonry_model::canon::plan::{Plan, StepStatus};
use canonry_model::canon::report::StepAttempt;
use canonry_model::finding::Location;

pub(super) fn check(plan: &Plan, findings: &mut Vec<Finding>) {
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
