//! See `plan_duplicate_id.md`.

use super::helpers::document;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::plan::Plan;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "plan-duplicate-id",
    summary: "duplicate step id",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("plan_duplicate_id.md"),
    check: Check::Plan(check),
};

fn check(plan: &Plan, findings: &mut Vec<Finding>) {
    let Some(document) = document(plan) else { return };
    let graph = document.graph();
    for (at, step) in document.steps.iter().enumerate() {
        let Some(first) = graph.position(step.id_text()).filter(|first| *first != at) else { continue };
        let location = Location::at(&document.source, step.head());
        let finding = RULE.at(location, format!("the id `{}` belongs to another step", step.id_text()));
        let first = Location::at(&document.source, document.steps[first].head());
        findings.push(finding.related(first, "first used here").help("give each step a unique id"));
    }
}
