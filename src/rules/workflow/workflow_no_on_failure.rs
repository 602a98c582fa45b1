//! See `workflow_no_on_failure.md` (WF008).

use super::helpers::{durable, explicit_steps};
use crate::canon::workflow::Workflow;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "workflow-no-on-failure",
    summary: "step without `on_failure`",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("workflow_no_on_failure.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut RawFindings) {
    let Some((document, definition)) = durable(workflow) else { return };
    for step in explicit_steps(definition).filter(|step| step.on_failure.is_none()) {
        let message = format!("`{}` has no `on_failure`", step.name.text);
        let finding = RawFinding::new(Location::at(&document.source, step.head()), message);
        findings.push(finding.help("add `on_failure:` with `abort`, `fail`, or the name of a step or gate"));
    }
}
