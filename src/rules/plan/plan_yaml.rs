//! See `plan_yaml.md`.

use super::helpers::document;
use crate::canon::plan::Plan;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "plan-yaml",
    summary: "plan is not valid YAML",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("plan_yaml.md"),
    check: Check::Plan(check),
};

fn check(plan: &Plan, findings: &mut RawFindings) {
    let Some(document) = document(plan) else { return };
    let source = &document.source;
    match &document.yaml {
        Err(error) => {
            let message = format!("invalid YAML: {}", error.message);
            findings.push(RawFinding::new(Location::at(source, error.span), message));
        }
        Ok(yaml) => findings.extend(yaml.duplicates.iter().map(|duplicate| {
            RawFinding::new(Location::at(source, duplicate.span), format!("duplicate key `{}`", duplicate.key))
                .related(Location::at(source, duplicate.first), "first defined here; canonry uses this value")
                .help("keep one of the two")
        })),
    }
}
