//! Part of `workflow-schema`: `explicit` context without named fields.

use super::helpers::durable;
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = durable(workflow) else { return };
    for step in &definition.steps {
        let name = &step.name.text;
        if step.context.mode.as_ref().is_none_or(|mode| mode.text != "explicit") {
            continue;
        }
        for input in step.context.inputs.iter().filter(|input| input.fields.is_empty()) {
            let Some(source) = &input.source else { continue };
            let message = format!("`{name}` has an explicit context, but reads the whole output of `{}`", source.text);
            let finding = RULE.at(Location::at(&document.source, input.span), message);
            findings.push(finding.help(format!("name the fields: `{{source: {}, fields: [\u{2026}]}}`", source.text)));
        }
    }
}
