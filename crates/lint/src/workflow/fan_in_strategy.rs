//! Part of `workflow-schema`: parallel step without a fan-in strategy.

use super::helpers::definition;
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    for step in &definition.steps {
        let name = &step.name.text;
        let (key, words) = if definition.is_durable() {
            ("fan_in_strategy", &["collect-all", "fail-fast"])
        } else {
            ("check", &["all", "any"])
        };
        let fan_out = &step.fan_out;
        let (span, message) = match &fan_out.strategy {
            Some(strategy) if words.contains(&strategy.text.as_str()) => continue,
            Some(strategy) => (strategy.span, format!("unknown `{key}` of `{name}`: `{}`", strategy.text)),
            None if fan_out.candidates.is_some() || !fan_out.children.is_empty() || step.retry.is("parallel") => {
                (step.head(), format!("`{name}` has parallel workers, but no `{key}`"))
            }
            None => continue,
        };
        let help = format!("add `{key}:` with {} or {}", words[0], words[1]);
        findings.push(RULE.at(Location::at(&document.source, span), message).help(help));
    }
}
