//! Part of `workflow-schema`: gate that continues on timeout without a default option.

use super::helpers::definition;
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;
use canonry_runs::workflow::WorkflowGraph;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    let graph = WorkflowGraph::new(definition);
    for (number, gate) in definition.gates.iter().enumerate() {
        let Some(action) = gate.timeout_action.as_ref().filter(|action| action.text == "continue") else { continue };
        if graph.resolve_timeout(number).is_none() {
            let message = format!("the gate `{}` continues on timeout, but has no default option", gate.id.text);
            let finding = RULE.at(Location::at(&document.source, action.span), message);
            findings.push(finding.help("add `default: true` to the option that applies if nobody answers"));
        }
    }
}
