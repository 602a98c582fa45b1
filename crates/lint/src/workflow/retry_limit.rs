//! Part of `workflow-schema`: serial retry or evaluator without a positive `max_retries`.

use super::helpers::definition;
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    for step in &definition.steps {
        let name = &step.name.text;
        let (span, message) = match (&step.retry.limit, step.retry.bound()) {
            (_, Some(_)) => continue,
            (Some(limit), None) => {
                (limit.span, format!("`max_retries` of `{name}` is `{}`, not a number of 1 or more", limit.text))
            }
            (None, None) if step.retry.is("serial") => {
                (step.head(), format!("`{name}` has serial retries, but no `max_retries`"))
            }
            (None, None) if step.evaluation.is_some() => {
                (step.head(), format!("`{name}` has an evaluator, but no `on_fail.max_retries`"))
            }
            (None, None) => continue,
        };
        findings.push(
            RULE.at(Location::at(&document.source, span), message)
                .help("write the number of retries, such as `max_retries: 3`"),
        );
    }
}
