//! Part of `workflow-schema`: session is shared between steps.

use super::helpers::definition;
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    for step in &definition.steps {
        let name = &step.name.text;
        let Some(session) = step.context.session.as_ref().filter(|session| session.text != "isolated") else {
            continue;
        };
        let message = format!("`{name}` has the session `{}`, but sessions cannot be shared", session.text);
        let finding = RULE.at(Location::at(&document.source, session.span), message);
        findings.push(finding.help("write `session: isolated` or omit the key, and pass data in `context_inputs`"));
    }
}
