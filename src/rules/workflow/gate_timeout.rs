//! See `gate_timeout.md` (WF108).

use super::helpers::{DURATION_HELP, definition, is_duration};
use crate::canon::workflow::Workflow;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "gate-timeout",
    summary: "gate timeout is not a duration",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("gate_timeout.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut RawFindings) {
    let Some((document, definition)) = definition(workflow) else { return };
    for gate in &definition.gates {
        let Some(timeout) = gate.timeout.as_ref().filter(|timeout| !is_duration(&timeout.text)) else { continue };
        let message = format!("the timeout `{}` of the gate `{}` is not a duration", timeout.text, gate.id.text);
        findings.push(RawFinding::new(Location::at(&document.source, timeout.span), message).help(DURATION_HELP));
    }
}
