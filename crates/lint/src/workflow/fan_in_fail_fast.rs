//! Part of `workflow-schema`: `fail-fast` without a failure route.

use super::helpers::definition;
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    for step in &definition.steps {
        let name = &step.name.text;
        let is_fail_fast = step.fan_out.strategy.as_ref().is_some_and(|strategy| strategy.text == "fail-fast");
        if is_fail_fast && step.fan_out.on_any_failure.is_none() {
            let message = format!("`{name}` uses `fail-fast`, but has no `on_any_failure`");
            let finding = RULE.at(Location::at(&document.source, step.head()), message);
            findings.push(finding.help("add `on_any_failure:` with `abort`, or the name of a step or gate"));
        }
    }
}
