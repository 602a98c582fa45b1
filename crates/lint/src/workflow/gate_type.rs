//! Part of `workflow-schema`: unknown gate type.

use super::helpers::{definition, valid_values_help};
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    for gate in &definition.gates {
        let Some(word) = gate.kind.as_ref().filter(|word| !WORDS.contains(&word.text.as_str())) else { continue };
        let message = format!("unknown type `{}` of the gate `{}`", word.text, gate.id.text);
        findings.push(
            RULE.at(Location::at(&document.source, word.span), message).help(valid_values_help(&word.text, &WORDS)),
        );
    }
}

const WORDS: [&str; 3] = ["interrupt", "notification", "approval"];
