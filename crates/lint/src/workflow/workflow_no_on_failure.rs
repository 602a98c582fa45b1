//! Part of `workflow-schema`: step without `on_failure`.

use super::helpers::{durable, explicit_steps};
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = durable(workflow) else { return };
    for step in explicit_steps(definition).filter(|step| step.on_failure.is_none()) {
        let message = format!("`{}` has no `on_failure`", step.name.text);
        let finding = RULE.at(Location::at(&document.source, step.head()), message);
        findings.push(finding.help("add `on_failure:` with `abort`, `fail`, or the name of a step or gate"));
    }
}
