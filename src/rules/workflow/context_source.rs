//! See `context_source.md` (WF304).

use super::helpers::{durable, nearest};
use crate::canon::workflow::Workflow;
use crate::canon::workflow::WorkflowStep;
use crate::config::closest_match;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::workflow::inputs::{MissingInputKind, missing};
use crate::workflow::{RouteTarget, WorkflowGraph};

pub(super) static RULE: Rule = Rule {
    id: "context-source",
    summary: "input from a step that may not have run, or from an undeclared field",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("context_source.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut RawFindings) {
    let Some((document, definition)) = durable(workflow) else { return };
    let graph = WorkflowGraph::new(definition);
    for missing in missing(definition, &graph) {
        let step = &definition.steps[missing.step];
        let input = &step.context.inputs[missing.input];
        let Some(source) = &input.source else { continue };
        let giver = match graph.target(&source.text) {
            Some(RouteTarget::Node(node)) => definition.steps.get(node),
            _ => None,
        };
        let name = &step.name.text;
        let (span, message, help) = match missing.what {
            MissingInputKind::Source => {
                let others =
                    definition.steps.iter().map(|other| other.name.text.as_str()).filter(|other| other != name);
                let help = nearest(&source.text, others, findings).map(|name| format!("did you mean `{name}`?"));
                let message = format!("`{name}` reads `{}`, and no step has that name", source.text);
                (source.span, message, help.unwrap_or_else(|| "name a step that runs before this one".to_owned()))
            }
            MissingInputKind::Run => {
                let message = format!("`{name}` reads `{}`, which need not have run by then", source.text);
                let help = "read a step through which every way to this one leads, or let the ways lead through it";
                (source.span, message, help.to_owned())
            }
            MissingInputKind::Field(field) => {
                let field = &input.fields[field];
                let message =
                    format!("`{name}` reads `{}` of `{}`, which does not declare it", field.text, source.text);
                (field.span, message, declared(giver, &field.text))
            }
        };
        findings.push(RawFinding::new(Location::at(&document.source, span), message).help(help));
    }
}

fn declared(giver: Option<&WorkflowStep>, field: &str) -> String {
    let fields =
        giver.and_then(|giver| giver.output.as_ref()).map(|output| output.fields.as_slice()).unwrap_or_default();
    let names: Vec<&str> = fields.iter().map(|field| field.name.text.as_str()).collect();
    match closest_match(field, names.iter().copied()) {
        Some(known) => format!("did you mean `{known}`?"),
        None if names.is_empty() => format!("declare it there: `output: {{schema: {{{field}: string}}}}`"),
        None => format!("declare it in that step's `output.schema`, which has {}", names.join(", ")),
    }
}
