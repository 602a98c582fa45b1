//! See `plan_yaml.md`.

use super::helpers::document;
use crate::canon::plan::Plan;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule, yaml_problems};

pub(super) static RULE: Rule = Rule {
    id: "plan-yaml",
    summary: "plan is not valid YAML",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("plan_yaml.md"),
    check: Check::Plan(check),
};

fn check(plan: &Plan, findings: &mut RawFindings) {
    let Some(document) = document(plan) else { return };
    findings.extend(yaml_problems::findings(&document.source, &document.yaml));
}
