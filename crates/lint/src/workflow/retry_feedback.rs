//! Part of `workflow-schema`: serial retry without feedback from the last attempt.

use super::helpers::definition;
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    for step in &definition.steps {
        let name = &step.name.text;
        if step.retry.is("serial") && step.retry.feedback.is_none() {
            let message = format!("`{name}` has serial retries, but no `feedback_mode`");
            let finding = RULE.at(Location::at(&document.source, step.head()), message);
            findings.push(finding.help("add `feedback_mode:`, such as `include_prev_error`"));
        }
    }
}
