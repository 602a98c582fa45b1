//! See `workflow_unknown_target.md` (WF003).

use super::helpers::{definition, nearest};
use crate::canon::workflow::Workflow;
use crate::canon::workflow::{END, WorkflowDefinition};
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::node::SpannedText;
use crate::workflow::WorkflowGraph;
use crate::workflow::graph::{ACTIONS, ENDINGS};

pub(super) static RULE: Rule = Rule {
    id: "workflow-unknown-target",
    summary: "route to a step or gate that does not exist",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("workflow_unknown_target.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut RawFindings) {
    let Some((document, definition)) = definition(workflow) else { return };
    let graph = WorkflowGraph::new(definition);
    for step in &definition.steps {
        let routes = step.routes.iter().filter_map(|route| Some(("goto", route.target.as_ref()?, &ENDINGS[..])));
        let detours = step.detours().map(|(key, target)| (key, target, &ACTIONS[..]));
        for (key, target, words) in routes.chain(detours) {
            if graph.target(&target.text).is_none() && !words.contains(&target.text.as_str()) {
                let message = format!(
                    "`{key}` of `{}` refers to `{}`, which is neither a step nor a gate",
                    step.name.text, target.text
                );
                let help = help(definition, target, words, findings);
                findings.push(RawFinding::new(Location::at(&document.source, target.span), message).help(help));
            }
        }
    }
    for gate in &definition.gates {
        for target in gate.choices.iter().filter_map(|choice| choice.target.as_ref()) {
            if graph.target(&target.text).is_none() && !ENDINGS.contains(&target.text.as_str()) {
                let message = format!(
                    "an option of the gate `{}` refers to `{}`, which is neither a step nor a gate",
                    gate.id.text, target.text
                );
                let help = help(definition, target, &ENDINGS, findings);
                findings.push(RawFinding::new(Location::at(&document.source, target.span), message).help(help));
            }
        }
    }
}

fn help(definition: &WorkflowDefinition, target: &SpannedText, words: &[&str], findings: &RawFindings) -> String {
    let steps = definition.steps.iter().map(|step| step.name.text.as_str());
    let names = steps.chain(definition.gates.iter().map(|gate| gate.id.text.as_str())).filter(|name| !name.is_empty());
    match nearest(&target.text, names.chain(words.iter().copied()).chain([END]), findings) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("use the name of a step or gate, or one of {}, {}", END, words.join(", ")),
    }
}
