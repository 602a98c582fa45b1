//! Part of `workflow-schema`: step without a valid timeout.

use super::helpers::{DURATION_HELP, durable, is_duration};
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = durable(workflow) else { return };
    for step in &definition.steps {
        let name = &step.name.text;
        let (span, message) = match &step.timeout {
            None if definition.is_phased || step.is_whole_plan() => continue,
            None => (step.head(), format!("`{name}` has no timeout")),
            Some(timeout) if is_duration(&timeout.text) => continue,
            Some(timeout) => (timeout.span, format!("the timeout `{}` of `{name}` is not a duration", timeout.text)),
        };
        findings.push(RULE.at(Location::at(&document.source, span), message).help(DURATION_HELP));
    }
}
