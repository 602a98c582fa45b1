//! See `plan_path_escape.md`.

use super::helpers::document;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::plan::Plan;
use canonry_model::finding::{Location, Severity};
use canonry_text::PathEscape;

pub(super) static RULE: Rule = Rule {
    id: "plan-path-escape",
    summary: "file of a step is outside the repository",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("plan_path_escape.md"),
    check: Check::Plan(check),
};

fn check(plan: &Plan, findings: &mut Vec<Finding>) {
    let Some(document) = document(plan) else { return };
    for file in document.steps.iter().flat_map(|step| &step.files) {
        if let Some(escape) = PathEscape::detect(&file.text) {
            let why = escape.describe("the repository root");
            let location = Location::at(&document.source, file.span);
            let message = format!("`{}` {why}", file.text);
            findings.push(RULE.at(location, message).help("write paths relative to the repository root"));
        }
    }
}
