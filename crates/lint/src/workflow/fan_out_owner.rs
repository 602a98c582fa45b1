//! Part of `workflow-schema`: child of a parallel step without an owner.

use super::helpers::definition;
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    for step in &definition.steps {
        let name = &step.name.text;
        for child in step.fan_out.children.iter().filter(|child| child.owner.is_none()) {
            let key = if definition.is_durable() { "owner" } else { "agent" };
            let message = format!("a child of the parallel step `{name}` has no `{key}`");
            let finding = RULE.at(Location::at(&document.source, child.span), message);
            findings.push(finding.help(format!("add `{key}:` with the role that executes it")));
        }
    }
}
