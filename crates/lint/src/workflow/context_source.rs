//! See `context_source.md` (WF304).

use super::helpers::{durable, nearest};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::workflow::Workflow;
use canonry_model::canon::workflow::WorkflowStep;
use canonry_model::finding::{Location, Severity};
use canonry_runs::workflow::WorkflowGraph;
use canonry_runs::workflow::inputs::{MissingInputKind, missing};
use canonry_text::closest_match;

pub(super) static RULE: Rule = Rule {
    id: "context-source",
    summary: "input from a step that may not have run, or from an undeclared field",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("context_source.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = durable(workflow) else { return };
    let graph = WorkflowGraph::new(definition);
    for missing in missing(definition, &graph, &workflow.files) {
        let step = &definition.steps[missing.step];
        let input = &step.context.inputs[missing.input];
        let Some(source) = &input.source else { continue };
        let producer = graph.node(&source.text).and_then(|node| definition.steps.get(node));
        let name = &step.name.text;
        let (span, message, help) = match missing.what {
            MissingInputKind::Source => {
                let others =
                    definition.steps.iter().map(|other| other.name.text.as_str()).filter(|other| other != name);
                let help = nearest(&source.text, others, findings).map(|name| format!("did you mean `{name}`?"));
                let message = format!("`{name}` reads `{}`, but no step has that name", source.text);
                (
                    source.span,
                    message,
                    help.unwrap_or_else(|| "use the name of a step that runs before this one".to_owned()),
                )
            }
            MissingInputKind::Run => {
                let message = format!("`{name}` reads `{}`, which may not have run yet", source.text);
                let help = "read a step that is on every path to this one, or change the routes so that it is";
                (source.span, message, help.to_owned())
            }
            MissingInputKind::Field(field) => {
                let field = &input.fields[field];
                let message = format!(
                    "`{name}` reads the field `{}` of `{}`, which does not declare it",
                    field.text, source.text
                );
                (field.span, message, help_for_field(producer, &field.text))
            }
        };
        findings.push(RULE.at(Location::at(&document.source, span), message).help(help));
    }
}

fn help_for_field(producer: Option<&WorkflowStep>, field: &str) -> String {
    let fields = producer
        .and_then(|producer| producer.output.as_ref())
        .map(|output| output.fields.as_slice())
        .unwrap_or_default();
    let output = producer.and_then(|producer| producer.output.as_ref());
    let has_schema_file = output.is_some_and(|output| output.schema_file.is_some());
    let names: Vec<&str> = fields.iter().map(|field| field.name.text.as_str()).collect();
    match closest_match(field, names.iter().copied()) {
        Some(known) => format!("did you mean `{known}`?"),
        None if has_schema_file => "declare it in the schema of that step, or correct the name".to_owned(),
        None if names.is_empty() => format!("declare it in that step: `output: {{schema: {{{field}: string}}}}`"),
        None => format!("declare it in the `output.schema` of that step, which declares {}", names.join(", ")),
    }
}
