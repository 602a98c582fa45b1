//! Part of `workflow-schema`: serial retry without feedback from the last attempt.

use super::helpers::definition;
use crate::RawFindings;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::{Location, RawFinding};

pub(super) fn check(workflow: &Workflow, findings: &mut RawFindings) {
    let Some((document, definition)) = definition(workflow) else { return };
    for step in &definition.steps {
        let name = &step.name.text;
        if step.retry.is("serial") && step.retry.feedback.is_none() {
            let message = format!("`{name}` has serial retries, but no `feedback_mode`");
            let finding = RawFinding::new(Location::at(&document.source, step.head()), message);
            findings.push(finding.help("add `feedback_mode:`, such as `include_prev_error`"));
        }
    }
}
