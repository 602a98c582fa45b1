//! See `plan_no_proof.md`.

use super::helpers::document;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::plan::Plan;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "plan-no-proof",
    summary: "step without criteria or commands",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("plan_no_proof.md"),
    check: Check::Plan(check),
};

fn check(plan: &Plan, findings: &mut Vec<Finding>) {
    let Some(document) = document(plan) else { return };
    for step in document.steps.iter().filter(|step| !step.has_criteria && step.commands.is_empty()) {
        let location = Location::at(&document.source, step.head());
        let message = format!("`{}` has neither criteria nor commands that prove it complete", step.id_text());
        findings.push(
            RULE.at(location, message)
                .help("add `criteria`, or a `Run:` command that exits with 0 if the step is complete"),
        );
    }
}
