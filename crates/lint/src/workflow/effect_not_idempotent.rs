//! Part of `workflow-schema`: external effect that a retry repeats.

use super::helpers::definition;
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    for step in &definition.steps {
        let name = &step.name.text;
        let Some(effects) = step.effects.as_ref().filter(|effects| effects.text == "external") else { continue };
        let is_guarded = step.idempotency.as_ref().is_some_and(|guard| {
            [&guard.marker, &guard.output_file, &guard.check].iter().any(|setting| setting.is_some())
        });
        if !is_guarded {
            let message = format!("`{name}` has an external effect, which a retry repeats");
            let finding = RULE.at(Location::at(&document.source, effects.span), message);
            findings
                .push(finding.help(
                    "add `idempotency:` with a `marker` that contains {{run_id}}, an `output_file` or a `check`",
                ));
        }
    }
}
