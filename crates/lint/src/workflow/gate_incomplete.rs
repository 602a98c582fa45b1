//! Part of `workflow-schema`: gate without a required key.

use super::helpers::{definition, list};
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::{Workflow, WorkflowDefinition};
use canonry_model::finding::Location;
use canonry_runs::workflow::{StepTarget, WorkflowGraph};
use std::collections::BTreeSet;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    let triggered = triggered_gates(definition);
    for (number, gate) in definition.gates.iter().enumerate() {
        // A key such as `on_all_failed: trigger_gate` says when the gate is triggered.
        let is_triggered = definition.is_phased || triggered.contains(&number);
        let keys = [
            ("type", gate.kind.is_some()),
            ("trigger_condition", gate.trigger.is_some() || is_triggered),
            ("message", gate.message.is_some()),
            ("options", !gate.choices.is_empty()),
            ("timeout", gate.timeout.is_some()),
            ("timeout_action", gate.timeout_action.is_some()),
        ];
        let missing: Vec<String> =
            keys.iter().filter(|(_, present)| !present).map(|(key, _)| format!("`{key}`")).collect();
        if !missing.is_empty() {
            let message = format!("the gate `{}` has no {}", gate.id.text, list(&missing, "or"));
            let finding = RULE.at(Location::at(&document.source, gate.head()), message);
            findings.push(finding.help(format!("add {}", list(&missing, "and"))));
        }
    }
}

/// The gates that a key of a step names as `trigger_…`.
fn triggered_gates(definition: &WorkflowDefinition) -> BTreeSet<usize> {
    let graph = WorkflowGraph::new(definition);
    let targets = definition.steps.iter().flat_map(|step| step.detours().map(|(_, target)| target.text.as_str()));
    let triggers = targets.filter(|target| target.starts_with("trigger_")).filter_map(|target| graph.resolve(target));
    let gates = triggers.filter_map(|target| match target {
        StepTarget::Gate(gate) => Some(gate),
        _ => None,
    });
    gates.collect()
}
