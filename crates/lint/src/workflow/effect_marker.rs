//! Part of `workflow-schema`: idempotency marker is the same in every run.

use super::helpers::definition;
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    for step in &definition.steps {
        let name = &step.name.text;
        let marker = step.idempotency.as_ref().and_then(|guard| guard.marker.as_ref());
        let Some(marker) = marker.filter(|marker| !marker.text.contains("run_id")) else { continue };
        let message = format!("the idempotency marker of `{name}` is the same in every run");
        let finding = RULE.at(Location::at(&document.source, marker.span), message);
        findings.push(finding.help("include `{{run_id}}` in it"));
    }
}
