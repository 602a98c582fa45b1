//! Part of `workflow-schema`: unknown `retry_strategy`.

use super::helpers::definition;
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    for step in &definition.steps {
        let name = &step.name.text;
        let (span, message) = match (&step.retry.strategy, step.retry.asked_for()) {
            (Some(strategy), _) if WORDS.contains(&strategy.text.as_str()) => continue,
            // An evaluator loop repeats the generator, one attempt after the other.
            (None, _) if step.evaluation.is_some() => continue,
            (Some(strategy), _) => (strategy.span, format!("unknown retry strategy `{}` of `{name}`", strategy.text)),
            (None, Some(setting)) => (setting.span, format!("`{name}` has retries, but no `retry_strategy`")),
            (None, None) => continue,
        };
        let help = "write `retry_strategy: serial` for consecutive attempts, or `parallel` for parallel candidates";
        findings.push(RULE.at(Location::at(&document.source, span), message).help(help));
    }
}

const WORDS: [&str; 2] = ["serial", "parallel"];
