//! Part of `workflow-schema`: gate inside a parallel step.

use super::helpers::definition;
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    for step in &definition.steps {
        for human in step.fan_out.children.iter().filter_map(|child| child.human.as_ref()) {
            let message = format!("a child of the parallel step `{}` waits for a person", step.name.text);
            let finding = RULE.at(Location::at(&document.source, human.span), message);
            findings.push(finding.help("move the gate after the parallel step"));
        }
    }
}
