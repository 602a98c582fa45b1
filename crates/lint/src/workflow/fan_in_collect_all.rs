//! Part of `workflow-schema`: `collect-all` without a selection rule or a failure route.

use super::helpers::{definition, list};
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    for step in &definition.steps {
        let name = &step.name.text;
        let fan_out = &step.fan_out;
        if fan_out.strategy.as_ref().is_none_or(|strategy| strategy.text != "collect-all") {
            continue;
        }
        let keys =
            [("selection_criteria", fan_out.selection.is_some()), ("on_all_failed", fan_out.on_all_failed.is_some())];
        let missing: Vec<String> =
            keys.iter().filter(|(_, is_set)| !is_set).map(|(key, _)| format!("`{key}`")).collect();
        if !missing.is_empty() {
            let message = format!("`{name}` uses `collect-all`, but has no {}", list(&missing, "and no"));
            let finding = RULE.at(Location::at(&document.source, step.head()), message);
            findings.push(finding.help(format!("add {}", list(&missing, "and"))));
        }
    }
}
