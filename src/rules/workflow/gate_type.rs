//! See `gate_type.md` (WF103).

use super::helpers::{definition, valid_values_help};
use crate::canon::workflow::Workflow;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "gate-type",
    summary: "unknown gate type",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("gate_type.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut RawFindings) {
    let Some((document, definition)) = definition(workflow) else { return };
    for gate in &definition.gates {
        let Some(word) = gate.kind.as_ref().filter(|word| !WORDS.contains(&word.text.as_str())) else { continue };
        let message = format!("unknown type `{}` of the gate `{}`", word.text, gate.id.text);
        findings.push(
            RawFinding::new(Location::at(&document.source, word.span), message)
                .help(valid_values_help(&word.text, &WORDS)),
        );
    }
}

const WORDS: [&str; 3] = ["interrupt", "notification", "approval"];
