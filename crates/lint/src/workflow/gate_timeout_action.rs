//! Part of `workflow-schema`: unknown `timeout_action`.

use super::helpers::{definition, valid_values_help};
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;
use canonry_runs::workflow::WorkflowGraph;
use canonry_text::node::SpannedText;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    let graph = WorkflowGraph::new(definition);
    for (number, gate) in definition.gates.iter().enumerate() {
        let unknown = |word: &&SpannedText| !WORDS.contains(&word.text.as_str());
        let Some(word) = gate.timeout_action.as_ref().filter(unknown) else { continue };
        if graph.resolve_timeout(number).is_some() {
            continue;
        }
        let options = gate.choices.iter().filter_map(|option| Some(option.value.as_ref()?.text.as_str()));
        let words: Vec<&str> = WORDS.into_iter().chain(options).collect();
        let message = format!("unknown timeout action `{}` of the gate `{}`", word.text, gate.id.text);
        findings.push(
            RULE.at(Location::at(&document.source, word.span), message).help(valid_values_help(&word.text, &words)),
        );
    }
}

const WORDS: [&str; 3] = ["pause", "continue", "abort"];
