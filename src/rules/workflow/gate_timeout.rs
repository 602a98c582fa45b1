//! Part of `workflow-schema`: gate timeout is not a duration.

use super::helpers::{DURATION_HELP, definition, is_duration};
use crate::canon::workflow::Workflow;
use crate::finding::{Location, RawFinding};
use crate::rules::RawFindings;

pub(super) fn check(workflow: &Workflow, findings: &mut RawFindings) {
    let Some((document, definition)) = definition(workflow) else { return };
    for gate in &definition.gates {
        let Some(timeout) = gate.timeout.as_ref().filter(|timeout| !is_duration(&timeout.text)) else { continue };
        let message = format!("the timeout `{}` of the gate `{}` is not a duration", timeout.text, gate.id.text);
        findings.push(RawFinding::new(Location::at(&document.source, timeout.span), message).help(DURATION_HELP));
    }
}
