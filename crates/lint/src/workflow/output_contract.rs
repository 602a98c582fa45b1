//! Part of `workflow-schema`: step without an output file or a schema with `passed: bool`.

use super::helpers::{durable, explicit_steps};
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;
use canonry_runs::workflow::FieldType;
use canonry_text::Span;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = durable(workflow) else { return };
    // An evaluator decides whether the product is good, and a plan is complete or not.
    let steps = explicit_steps(definition).filter(|step| step.evaluation.is_none() && step.plan.is_none());
    for step in steps {
        let name = &step.name.text;
        let output = step.output.as_ref();
        let passed = step.field("passed");
        let is_bool = passed.is_some_and(|field| FieldType::parse(&field.kind.text) == FieldType::Bool);
        let span = output.map_or(step.head(), |output| Span::new(output.span.offset, output.span.offset));
        let (span, message) = match (output, passed) {
            (None, _) => (step.head(), format!("`{name}` has no `output`")),
            (Some(output), _) if output.file.is_none() => (span, format!("the output of `{name}` has no `file`")),
            (Some(output), _) if output.schema_file.is_some() => continue,
            (_, None) => (span, format!("the output schema of `{name}` has no field `passed`")),
            (_, Some(field)) if !is_bool => (
                field.kind.span,
                format!("the field `passed` of `{name}` is declared as `{}`, not as bool", field.kind.text),
            ),
            _ => continue,
        };
        let help = format!(
            "write `output: {{file: {name}.json, schema: {{passed: bool}}}}`, and add the other fields of the step"
        );
        findings.push(RULE.at(Location::at(&document.source, span), message).help(help));
    }
}
