//! Part of `workflow-schema`: keys of gates that depend on each other or on the steps.

use super::helpers::{DURATION_HELP, Flaws, definition, is_duration, list, valid_values_help};
use crate::Finding;
use canonry_model::canon::workflow::{Workflow, WorkflowDefinition, WorkflowGate};
use canonry_model::finding::Location;
use canonry_runs::workflow::{StepTarget, WorkflowGraph};
use canonry_text::Span;
use std::collections::{BTreeMap, BTreeSet};

const TIMEOUT_ACTIONS: [&str; 3] = ["pause", "continue", "abort"];

/// The gates that a key of a step names as `trigger_…`.
fn triggered_gates(definition: &WorkflowDefinition, graph: &WorkflowGraph) -> BTreeSet<usize> {
    let targets = definition.steps.iter().flat_map(|step| step.detours().map(|(_, target)| target.text.as_str()));
    let triggers = targets.filter(|target| target.starts_with("trigger_")).filter_map(|target| graph.resolve(target));
    let gates = triggers.filter_map(|target| match target {
        StepTarget::Gate(gate) => Some(gate),
        _ => None,
    });
    gates.collect()
}

pub(super) fn missing_keys(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    let triggered = triggered_gates(definition, &WorkflowGraph::new(definition));
    let mut flaws = Flaws { source: &document.source, findings };
    for (number, gate) in definition.gates.iter().enumerate() {
        // A key such as `on_all_failed: trigger_gate` says when the gate is triggered.
        missing_keys_of(gate, definition.is_phased || triggered.contains(&number), &mut flaws);
    }
}

fn missing_keys_of(gate: &WorkflowGate, is_triggered: bool, flaws: &mut Flaws<'_>) {
    let keys = [
        ("type", gate.kind.is_some()),
        ("trigger_condition", gate.trigger.is_some() || is_triggered),
        ("message", gate.message.is_some()),
        ("options", !gate.choices.is_empty()),
        ("timeout", gate.timeout.is_some()),
        ("timeout_action", gate.timeout_action.is_some()),
    ];
    let missing: Vec<String> = keys.iter().filter(|(_, present)| !present).map(|(key, _)| format!("`{key}`")).collect();
    if !missing.is_empty() {
        let message = format!("the gate `{}` has no {}", gate.id.text, list(&missing, "or"));
        flaws.add(gate.head(), message, format!("add {}", list(&missing, "and")));
    }
}

pub(super) fn timeout(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    let mut flaws = Flaws { source: &document.source, findings };
    definition.gates.iter().for_each(|gate| timeout_of(gate, &mut flaws));
}

fn timeout_of(gate: &WorkflowGate, flaws: &mut Flaws<'_>) {
    if let Some(timeout) = gate.timeout.as_ref().filter(|timeout| !is_duration(&timeout.text)) {
        let message = format!("the timeout `{}` of the gate `{}` is not a duration", timeout.text, gate.id.text);
        flaws.add(timeout.span, message, DURATION_HELP);
    }
}

pub(super) fn timeout_action(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    let graph = WorkflowGraph::new(definition);
    let mut flaws = Flaws { source: &document.source, findings };
    for (number, gate) in definition.gates.iter().enumerate() {
        timeout_action_of(gate, graph.resolve_timeout(number).is_some(), &mut flaws);
    }
}

/// `is_resolved`: whether the action leads somewhere, because it is the value of an option or there is a default.
fn timeout_action_of(gate: &WorkflowGate, is_resolved: bool, flaws: &mut Flaws<'_>) {
    let Some(action) = gate.timeout_action.as_ref().filter(|_| !is_resolved) else { return };
    if action.text == "continue" {
        let message = format!("the gate `{}` continues on timeout, but has no default option", gate.id.text);
        flaws.add(action.span, message, "add `default: true` to the option that applies if nobody answers");
    } else if !TIMEOUT_ACTIONS.contains(&action.text.as_str()) {
        let options = gate.choices.iter().filter_map(|option| Some(option.value.as_ref()?.text.as_str()));
        let words: Vec<&str> = TIMEOUT_ACTIONS.into_iter().chain(options).collect();
        let message = format!("unknown timeout action `{}` of the gate `{}`", action.text, gate.id.text);
        flaws.add(action.span, message, valid_values_help(&action.text, &words));
    }
}

pub(super) fn option_values(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    let mut flaws = Flaws { source: &document.source, findings };
    definition.gates.iter().for_each(|gate| option_values_of(gate, &mut flaws));
}

fn option_values_of(gate: &WorkflowGate, flaws: &mut Flaws<'_>) {
    let mut first: BTreeMap<&str, Span> = BTreeMap::new();
    for choice in &gate.choices {
        let Some(value) = &choice.value else {
            let message = format!("an option of the gate `{}` has no value", gate.id.text);
            flaws.add(choice.span, message, "add `value:` with the word to record for this choice");
            continue;
        };
        if let Some(known) = first.get(value.text.as_str()) {
            let message = format!("two options of the gate `{}` have the value `{}`", gate.id.text, value.text);
            let finding = flaws.finding(value.span, message, "give each option a unique value");
            flaws.findings.push(finding.related(Location::at(flaws.source, *known), "the other option"));
        } else {
            first.insert(&value.text, value.span);
        }
    }
}
