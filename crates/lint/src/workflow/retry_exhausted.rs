//! Part of `workflow-schema`: step without a route for exhausted retries.

use super::helpers::definition;
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    for step in &definition.steps {
        let name = &step.name.text;
        // Parallel candidates that all fail take `on_all_failed`.
        let is_routed = step.retry.is("parallel") && step.fan_out.on_all_failed.is_some();
        if step.retry.asked_for().is_some() && step.retry.exhausted.is_none() && !is_routed {
            let message = format!("`{name}` has retries, but no `on_max_retries_exceeded`");
            let finding = RULE.at(Location::at(&document.source, step.head()), message);
            findings.push(finding.help("add `on_max_retries_exceeded:` with `abort`, or the name of a step or gate"));
        }
    }
}
