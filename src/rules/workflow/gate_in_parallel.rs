//! Part of `workflow-schema`: gate inside a parallel step.

use super::helpers::definition;
use crate::canon::workflow::Workflow;
use crate::finding::{Location, RawFinding};
use crate::rules::RawFindings;

pub(super) fn check(workflow: &Workflow, findings: &mut RawFindings) {
    let Some((document, definition)) = definition(workflow) else { return };
    for step in &definition.steps {
        for human in step.fan_out.children.iter().filter_map(|child| child.human.as_ref()) {
            let message = format!("a child of the parallel step `{}` waits for a person", step.name.text);
            let finding = RawFinding::new(Location::at(&document.source, human.span), message);
            findings.push(finding.help("move the gate after the parallel step"));
        }
    }
}
