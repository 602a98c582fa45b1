//! See `plan_order.md`.

use super::helpers::document;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::plan::{Plan, PlanDocument, PlanStep, StepStatus};
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "plan-order",
    summary: "step started before its dependencies are complete",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("plan_order.md"),
    check: Check::Plan(check),
};

fn check(plan: &Plan, findings: &mut Vec<Finding>) {
    let Some(document) = document(plan) else { return };
    let graph = document.graph();
    let is_started = |step: &&PlanStep| matches!(step.status, StepStatus::InProgress | StepStatus::Complete);
    for step in document.steps.iter().filter(is_started) {
        let deps = step.deps.iter().filter_map(|dep| graph.position(&dep.text)).map(|at| &document.steps[at]);
        let open: Vec<&PlanStep> = deps.filter(|dep| is_open(dep)).collect();
        if !open.is_empty() {
            findings.push(finding(document, step, &open));
        }
    }
}

/// Whether the dependency is not complete. Other rules report unknown dependencies and statuses.
fn is_open(dep: &PlanStep) -> bool {
    matches!(dep.status, StepStatus::Pending | StepStatus::InProgress | StepStatus::Blocked)
}

fn finding(document: &PlanDocument, step: &PlanStep, open: &[&PlanStep]) -> Finding {
    let ids: Vec<String> = open.iter().map(|dep| format!("`{}`", dep.id_text())).collect();
    let verb = if ids.len() == 1 { "is" } else { "are" };
    let message = format!("`{}` is {}, but {} {verb} not complete", step.id_text(), word(step.status), ids.join(", "));
    let location = Location::at(&document.source, step.status_span.unwrap_or_else(|| step.head()));
    let finding = RULE.at(location, message).help("set the step to `pending`, or complete its dependencies first");
    open.iter().fold(finding, |finding, dep| {
        let location = Location::at(&document.source, dep.status_span.unwrap_or_else(|| dep.head()));
        finding.related(location, format!("`{}` is {}", dep.id_text(), word(dep.status)))
    })
}

fn word(status: StepStatus) -> &'static str {
    match status {
        StepStatus::Pending => "pending",
        StepStatus::InProgress => "in progress",
        StepStatus::Complete => "complete",
        StepStatus::Blocked => "blocked",
        StepStatus::Unknown => "unknown",
    }
}
