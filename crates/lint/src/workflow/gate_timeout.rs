//! Part of `workflow-schema`: gate timeout is not a duration.

use super::helpers::{DURATION_HELP, definition, is_duration};
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    for gate in &definition.gates {
        let Some(timeout) = gate.timeout.as_ref().filter(|timeout| !is_duration(&timeout.text)) else { continue };
        let message = format!("the timeout `{}` of the gate `{}` is not a duration", timeout.text, gate.id.text);
        findings.push(RULE.at(Location::at(&document.source, timeout.span), message).help(DURATION_HELP));
    }
}
