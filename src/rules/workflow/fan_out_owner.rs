//! See `fan_out_owner.md` (WF406).

use super::helpers::definition;
use crate::canon::workflow::Workflow;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "fan-out-owner",
    summary: "child of a parallel step without an owner",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("fan_out_owner.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut RawFindings) {
    let Some((document, definition)) = definition(workflow) else { return };
    for step in &definition.steps {
        let name = &step.name.text;
        for child in step.fan_out.children.iter().filter(|child| child.owner.is_none()) {
            let key = if definition.is_durable() { "owner" } else { "agent" };
            let message = format!("a child of the parallel step `{name}` has no `{key}`");
            let finding = RawFinding::new(Location::at(&document.source, child.span), message);
            findings.push(finding.help(format!("add `{key}:` with the role that executes it")));
        }
    }
}
