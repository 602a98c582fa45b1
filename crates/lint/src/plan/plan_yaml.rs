//! See `plan_yaml.md`.

use super::helpers::document;
use crate::{Check, Defaults, Finding, Rule, yaml_problems};
use canonry_model::canon::plan::Plan;
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "plan-yaml",
    summary: "plan is not valid YAML",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("plan_yaml.md"),
    check: Check::Plan(check),
};

fn check(plan: &Plan, findings: &mut Vec<Finding>) {
    let Some(document) = document(plan) else { return };
    findings.extend(yaml_problems::findings(&RULE, &document.source, &document.yaml));
}
