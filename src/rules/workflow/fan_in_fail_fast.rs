//! See `fan_in_fail_fast.md` (WF403).

use super::helpers::definition;
use crate::canon::workflow::Workflow;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "fan-in-fail-fast",
    summary: "`fail-fast` without a failure route",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("fan_in_fail_fast.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut RawFindings) {
    let Some((document, definition)) = definition(workflow) else { return };
    for step in &definition.steps {
        let name = &step.name.text;
        let is_fail_fast = step.fan_out.strategy.as_ref().is_some_and(|strategy| strategy.text == "fail-fast");
        if is_fail_fast && step.fan_out.on_any_failure.is_none() {
            let message = format!("`{name}` uses `fail-fast`, but has no `on_any_failure`");
            let finding = RawFinding::new(Location::at(&document.source, step.head()), message);
            findings.push(finding.help("add `on_any_failure:` with `abort`, or the name of a step or gate"));
        }
    }
}
