//! Part of `workflow-schema`: unknown `context_mode`.

use super::helpers::{durable, valid_values_help};
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = durable(workflow) else { return };
    for step in &definition.steps {
        let name = &step.name.text;
        let (span, message, help) = match &step.context.mode {
            Some(mode) if WORDS.contains(&mode.text.as_str()) => continue,
            Some(mode) => {
                let message = format!("unknown context mode `{}` of `{name}`", mode.text);
                (mode.span, message, valid_values_help(&mode.text, &WORDS))
            }
            None if definition.is_phased || step.plan.is_some() => continue,
            None => (
                step.head(),
                format!("`{name}` has no `context_mode`"),
                format!("add `context_mode:` with one of {}", WORDS.join(", ")),
            ),
        };
        findings.push(RULE.at(Location::at(&document.source, span), message).help(help));
    }
}

const WORDS: [&str; 3] = ["accumulate", "last_only", "explicit"];
