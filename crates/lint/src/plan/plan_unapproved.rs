//! See `plan_unapproved.md`.

use super::helpers::{document, status_location};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::plan::{Plan, StepStatus};
use canonry_model::finding::Severity;
use canonry_runs::plan::Gate;

pub(super) static RULE: Rule = Rule {
    id: "plan-unapproved",
    summary: "step begun or complete without the approval that it needs",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("plan_unapproved.md"),
    check: Check::Plan(check),
};

fn check(plan: &Plan, findings: &mut Vec<Finding>) {
    let Some(document) = document(plan) else { return };
    let is_begun = |status| matches!(status, StepStatus::InProgress | StepStatus::Complete);
    for step in document.steps.iter().filter(|step| is_begun(step.status)) {
        let approvals = plan.approvals.iter().filter(|approval| approval.step == step.id_text());
        let is_approved = approvals.clone().any(|approval| approval.covers(&approval.plan, step));
        let Gate::NeedsApproval(_) = Gate::decide(step, [], is_approved) else { continue };
        let what = match approvals.count() {
            0 => "nobody has approved it",
            _ => "its approval is of an earlier version of the step",
        };
        let message = format!("`{}` is {}, but {what}", step.id_text(), step.status.as_str());
        findings.push(
            RULE.at(status_location(document, step), message)
                .help("set the step to `pending`, or let a person review it and run `canonry run approve`"),
        );
    }
}
