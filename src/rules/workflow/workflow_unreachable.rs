//! See `workflow_unreachable.md` (WF004).

use super::helpers::definition;
use crate::canon::workflow::END;
use crate::canon::workflow::Workflow;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::workflow::{RouteTarget, WorkflowGraph};

pub(super) static RULE: Rule = Rule {
    id: "workflow-unreachable",
    summary: "unreachable step or gate",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("workflow_unreachable.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut RawFindings) {
    let Some((document, definition)) = definition(workflow) else { return };
    let graph = WorkflowGraph::new(definition);
    let (reachable, ending) = (graph.reachable(), graph.ending());
    let heads = definition.steps.iter().map(|step| (&step.name.text, step.head()));
    let heads = heads.chain(definition.gates.iter().map(|gate| (&gate.id.text, gate.head())));
    for (node, (name, head)) in heads.enumerate() {
        // A name that is taken leads to the first that has it, which is a finding of its own.
        if graph.target(name).is_some_and(|target| matches!(target, RouteTarget::Node(first) if first != node)) {
            continue;
        }
        let place = Location::at(&document.source, head);
        if !reachable[node] {
            let message = format!("no route leads to `{name}`");
            let finding = RawFinding::new(place, message);
            findings.push(match (name.as_str(), definition.steps.first()) {
                (END, _) => finding.help("`end` is where a run ends; give the step another name"),
                (_, Some(first)) if graph.is_step(node) => finding.help(format!(
                    "let a route lead to it from `{}` on, where a run begins, or remove it",
                    first.name.text
                )),
                _ => finding.help("let a `goto` or an `on_…` key name the gate, or remove it"),
            });
        } else if !ending[node] && definition.is_durable() {
            let message = format!("from `{name}` no route leads to the end");
            findings.push(RawFinding::new(place, message).help("let a step that it leads to go to `end`"));
        }
    }
}
