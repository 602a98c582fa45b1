//! Part of `workflow-schema`: gate options with missing or duplicate values.

use super::helpers::definition;
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;
use canonry_text::Span;
use std::collections::BTreeMap;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    for gate in &definition.gates {
        let mut first: BTreeMap<&str, Span> = BTreeMap::new();
        for choice in &gate.choices {
            let Some(value) = &choice.value else {
                let message = format!("an option of the gate `{}` has no value", gate.id.text);
                let finding = RULE.at(Location::at(&document.source, choice.span), message);
                findings.push(finding.help("add `value:` with the word to record for this choice"));
                continue;
            };
            if let Some(known) = first.get(value.text.as_str()) {
                let message = format!("two options of the gate `{}` have the value `{}`", gate.id.text, value.text);
                let finding = RULE.at(Location::at(&document.source, value.span), message);
                let finding = finding.related(Location::at(&document.source, *known), "the other option");
                findings.push(finding.help("give each option a unique value"));
            } else {
                first.insert(&value.text, value.span);
            }
        }
    }
}
