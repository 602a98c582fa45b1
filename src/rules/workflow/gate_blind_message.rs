//! See `gate_blind_message.md` (WF106).

use super::helpers::definition;
use crate::canon::workflow::Workflow;
use crate::canon::workflow::WorkflowDefinition;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::workflow::outputs::placeholders;

pub(super) static RULE: Rule = Rule {
    id: "gate-blind-message",
    summary: "gate message without facts of the run",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("gate_blind_message.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut RawFindings) {
    let Some((document, definition)) = definition(workflow) else { return };
    for gate in &definition.gates {
        let Some(message) = &gate.message else { continue };
        if placeholders(&message.text).any(|name| is_fact(definition, name)) {
            continue;
        }
        let text = match placeholders(&message.text).next() {
            Some(name) => {
                format!("the message of the gate `{}` refers to `{name}`, which no step outputs", gate.id.text)
            }
            None => format!("the message of the gate `{}` contains no fact of the run", gate.id.text),
        };
        let finding = RawFinding::new(Location::at(&document.source, message.span), text);
        findings.push(finding.help("include the data for the decision, such as `{{step.field}}`"));
    }
}

/// Whether the placeholder is a declared field of a step, a whole step, or the run.
fn is_fact(definition: &WorkflowDefinition, name: &str) -> bool {
    let (step, field) = name.split_once('.').map_or((name, None), |(step, field)| (step, Some(field)));
    let step = definition.steps.iter().find(|known| known.name.text == step);
    match (step, field) {
        (Some(step), Some(field)) => !definition.is_durable() || step.field(field).is_some(),
        (Some(_), None) => true,
        (None, _) => name == "run_id" || name.starts_with("run."),
    }
}
