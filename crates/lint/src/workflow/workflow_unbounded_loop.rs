//! See `workflow_unbounded_loop.md` (WF011).

use super::helpers::durable;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::workflow::Workflow;
use canonry_model::canon::workflow::{WorkflowDefinition, WorkflowGate};
use canonry_model::finding::{Location, Severity};
use canonry_runs::workflow::WorkflowGraph;
use canonry_runs::workflow::cycles::unbounded;
use canonry_text::Span;

pub(super) static RULE: Rule = Rule {
    id: "workflow-unbounded-loop",
    summary: "loop without a bound",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("workflow_unbounded_loop.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = durable(workflow) else { return };
    let graph = WorkflowGraph::new(definition);
    for cycle in unbounded(definition, &graph) {
        let (Some(&first), Some(&last)) = (cycle.first(), cycle.last()) else { continue };
        let names: Vec<&str> = cycle.iter().chain([&first]).map(|node| name(definition, *node)).collect();
        let message = match cycle.as_slice() {
            [one] => format!("`{}` can route to itself forever", name(definition, *one)),
            _ => format!("these steps can loop forever: {}", names.join(" -> ")),
        };
        let location = Location::at(&document.source, closing_route(definition, last, name(definition, first)));
        findings.push(
            RULE.at(location, message).help("add a top-level `max_steps:`, or `max_retries:` to one of these steps"),
        );
    }
}

fn name(definition: &WorkflowDefinition, node: usize) -> &str {
    let gate = || definition.gates.get(node - definition.steps.len()).map(|gate| gate.id.text.as_str());
    definition.steps.get(node).map(|step| step.name.text.as_str()).or_else(gate).unwrap_or_default()
}

/// The route from the last node of the cycle to the first.
fn closing_route(definition: &WorkflowDefinition, last: usize, first: &str) -> Span {
    let Some(step) = definition.steps.get(last) else {
        return definition.gates.get(last - definition.steps.len()).map_or(Span::default(), WorkflowGate::head);
    };
    let routes = step.routes.iter().filter_map(|route| route.target.as_ref());
    let mut targets = routes.chain(step.detours().map(|(_, target)| target));
    targets.find(|target| target.text == first).map_or(step.head(), |target| target.span)
}
