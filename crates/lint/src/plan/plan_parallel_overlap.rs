//! See `plan_parallel_overlap.md`.

use super::helpers::document;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::plan::Plan;
use canonry_model::finding::{Location, Severity};
use canonry_runs::plan::overlaps;

pub(super) static RULE: Rule = Rule {
    id: "plan-parallel-overlap",
    summary: "parallel steps that share a file",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("plan_parallel_overlap.md"),
    check: Check::Plan(check),
};

fn check(plan: &Plan, findings: &mut Vec<Finding>) {
    let Some(document) = document(plan) else { return };
    for overlap in overlaps(&document.steps, document.graph()) {
        let first = &document.steps[overlap.first.step];
        let second = &document.steps[overlap.second.step];
        let own = &second.files[overlap.second.file];
        let other = &first.files[overlap.first.file];
        let message = format!(
            "`{}` and `{}` may run in parallel, but both use `{}`",
            first.id_text(),
            second.id_text(),
            own.text
        );
        let finding = RULE.at(Location::at(&document.source, own.span), message);
        let label = format!("`{}` uses it here", first.id_text());
        let finding = finding.related(Location::at(&document.source, other.span), label);
        findings.push(finding.help("add a dependency between the two steps, or split the file"));
    }
}
