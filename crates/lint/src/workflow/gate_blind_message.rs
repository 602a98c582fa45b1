//! See `gate_blind_message.md` (WF106).

use super::helpers::definition;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::{Location, Severity};
use canonry_runs::workflow::{VariableSource, variable_source, variables};

pub(super) static RULE: Rule = Rule {
    id: "gate-blind-message",
    summary: "gate message without facts of the run",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("gate_blind_message.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    let is_fact = |name: &str| is_fact(variable_source(definition, &workflow.files, name), name);
    let has_facts = definition.steps.iter().any(|step| step.output.as_ref().is_some_and(|o| !o.fields.is_empty()));
    for gate in &definition.gates {
        let Some(message) = &gate.message else { continue };
        if variables(&message.text).iter().any(|(_, name)| is_fact(name)) {
            continue;
        }
        let text = match variables(&message.text).first() {
            Some((_, name)) => {
                format!("the message of the gate `{}` refers to `{name}`, which no step outputs", gate.id.text)
            }
            // Phases without declared outputs give the message nothing to name.
            None if definition.is_phased && !has_facts => continue,
            None => format!("the message of the gate `{}` contains no fact of the run", gate.id.text),
        };
        let finding = RULE.at(Location::at(&document.source, message.span), text);
        findings.push(finding.help("include the data for the decision, such as `{{step.field}}`"));
    }
}

/// Whether a placeholder is a result of a step, or the run.
pub(super) fn is_fact(source: Option<VariableSource>, name: &str) -> bool {
    source == Some(VariableSource::Result) || name == "run_id" || name.starts_with("run.")
}
