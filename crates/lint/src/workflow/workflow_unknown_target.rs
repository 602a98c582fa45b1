//! See `workflow_unknown_target.md` (WF003).

use super::helpers::{definition, nearest};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::workflow::Workflow;
use canonry_model::canon::workflow::{END, WorkflowDefinition};
use canonry_model::finding::{Location, Severity};
use canonry_runs::workflow::target::ACTION_WORDS;
use canonry_runs::workflow::{StepTarget, WorkflowGraph};
use canonry_text::node::SpannedText;

pub(super) static RULE: Rule = Rule {
    id: "workflow-unknown-target",
    summary: "route to a step or gate that does not exist",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("workflow_unknown_target.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    let graph = WorkflowGraph::new(definition);
    for step in &definition.steps {
        let routes = step.routes.iter().filter_map(|route| Some(("goto", route.target.as_ref()?, true)));
        let detours = step.detours().map(|(key, target)| (key, target, false));
        for (key, target, is_route) in routes.chain(detours) {
            // `workflow-schema` reports values that are no text.
            if NO_TEXT.contains(&target.text.as_str()) || leads_somewhere(graph.resolve(&target.text), is_route) {
                continue;
            }
            let message = format!(
                "`{key}` of `{}` refers to `{}`, which is neither a step nor a gate",
                step.name.text, target.text
            );
            let help = help(definition, target, is_route, findings);
            findings.push(RULE.at(Location::at(&document.source, target.span), message).help(help));
        }
    }
    for (number, gate) in definition.gates.iter().enumerate() {
        for (option, choice) in gate.choices.iter().enumerate() {
            // Without a target, the value is recorded, and a person decides where the run goes.
            let Some(target) = &choice.target else { continue };
            if graph.resolve_option(number, option).is_some() {
                continue;
            }
            let message = format!(
                "an option of the gate `{}` refers to `{}`, which is neither a step nor a gate",
                gate.id.text, target.text
            );
            let help = help(definition, target, false, findings);
            findings.push(RULE.at(Location::at(&document.source, target.span), message).help(help));
        }
    }
}

/// The placeholders of the model for a mapping and a list.
const NO_TEXT: [&str; 2] = ["{\u{2026}}", "[\u{2026}]"];

fn leads_somewhere(target: Option<StepTarget>, is_route: bool) -> bool {
    match target {
        Some(StepTarget::Action(action)) => action.is_route_target() || !is_route,
        Some(_) => true,
        None => false,
    }
}

fn help(definition: &WorkflowDefinition, target: &SpannedText, is_route: bool, findings: &[Finding]) -> String {
    let steps = definition.steps.iter().map(|step| step.name.text.as_str());
    let names = steps.chain(definition.gates.iter().map(|gate| gate.id.text.as_str())).filter(|name| !name.is_empty());
    let words = ACTION_WORDS.iter().filter(|(_, action)| action.is_route_target() || !is_route).map(|(word, _)| *word);
    let words: Vec<&str> = std::iter::once(END).chain(words).collect();
    match nearest(&target.text, names.chain(words.iter().copied()), findings) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("use the name of a step or gate, or one of {}", words.join(", ")),
    }
}
