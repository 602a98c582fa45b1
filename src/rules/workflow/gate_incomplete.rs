//! See `gate_incomplete.md` (WF101).

use super::helpers::{definition, list};
use crate::canon::workflow::Workflow;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "gate-incomplete",
    summary: "gate without a required key",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("gate_incomplete.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut RawFindings) {
    let Some((document, definition)) = definition(workflow) else { return };
    for gate in &definition.gates {
        let keys = [
            ("type", gate.kind.is_some()),
            ("trigger_condition", gate.trigger.is_some()),
            ("message", gate.message.is_some()),
            ("options", !gate.choices.is_empty()),
            ("timeout", gate.timeout.is_some()),
            ("timeout_action", gate.timeout_action.is_some()),
        ];
        let missing: Vec<String> =
            keys.iter().filter(|(_, present)| !present).map(|(key, _)| format!("`{key}`")).collect();
        if !missing.is_empty() {
            let message = format!("the gate `{}` has no {}", gate.id.text, list(&missing, "or"));
            let finding = RawFinding::new(Location::at(&document.source, gate.head()), message);
            findings.push(finding.help(format!("add {}", list(&missing, "and"))));
        }
    }
}
