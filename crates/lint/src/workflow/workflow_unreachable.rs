//! See `workflow_unreachable.md` (WF004).

use super::helpers::definition;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::workflow::END;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::{Location, Severity};
use canonry_runs::workflow::WorkflowGraph;

pub(super) static RULE: Rule = Rule {
    id: "workflow-unreachable",
    summary: "unreachable step or gate",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("workflow_unreachable.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    let graph = WorkflowGraph::new(definition);
    let reachable = graph.reachable();
    let ending = graph.ending();
    let heads = definition.steps.iter().map(|step| (&step.name.text, step.head()));
    let heads = heads.chain(definition.gates.iter().map(|gate| (&gate.id.text, gate.head())));
    for (node, (name, head)) in heads.enumerate() {
        // Routes to a duplicate name lead to its first use; `workflow-schema` reports the duplicate.
        if graph.node(name).is_some_and(|first| first != node) {
            continue;
        }
        let location = Location::at(&document.source, head);
        if !reachable[node] {
            let message = format!("`{name}` is unreachable");
            let finding = RULE.at(location, message);
            findings.push(match (name.as_str(), definition.steps.first()) {
                (END, _) => finding.help("`end` is reserved for the end of the run; rename the step"),
                (_, Some(first)) if graph.is_step(node) => finding.help(format!(
                    "add a route to it that starts at `{}`, the first step, or remove it",
                    first.name.text
                )),
                _ => finding.help("refer to the gate in a `goto` or an `on_…` key, or remove it"),
            });
        } else if !ending[node] && definition.is_durable() {
            let message = format!("no route leads from `{name}` to the end");
            let finding = RULE.at(location, message).help("add a route to `end`, here or in a step after it");
            // One route often connects all of them.
            findings.push(finding.caused_by(workflow.path.to_string(), ("such step", "such steps")));
        }
    }
}
