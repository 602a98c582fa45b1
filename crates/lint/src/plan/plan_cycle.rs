//! See `plan_cycle.md`.

use super::helpers::document;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::plan::{Plan, PlanDocument, PlanStep};
use canonry_model::canon::plan_graph::PlanGraph;
use canonry_model::finding::{Location, Severity};
use canonry_text::Span;

pub(super) static RULE: Rule = Rule {
    id: "plan-cycle",
    summary: "cyclic dependencies between steps",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("plan_cycle.md"),
    check: Check::Plan(check),
};

fn check(plan: &Plan, findings: &mut Vec<Finding>) {
    let Some(document) = document(plan) else { return };
    let graph = document.graph();
    for cycle in graph.cycles() {
        let (Some(&start), Some(&last)) = (cycle.first(), cycle.last()) else { continue };
        let location = Location::at(&document.source, closing_dep(&document.steps[last], graph, start));
        let help = match cycle.as_slice() {
            [_] => "remove the step from its own `deps`",
            _ => "remove one of these dependencies",
        };
        findings.push(RULE.at(location, message(document, &cycle)).help(help));
    }
}

fn message(document: &PlanDocument, cycle: &[usize]) -> String {
    let id = |at: &usize| document.steps[*at].id_text();
    match cycle {
        [one] => format!("`{0}` depends on itself: {0} -> {0}", id(one)),
        path => {
            let ids: Vec<&str> = path.iter().chain(path.first()).map(id).collect();
            format!("these steps depend on each other: {}", ids.join(" -> "))
        }
    }
}

/// The dependency of the last step of the path on the first.
fn closing_dep(step: &PlanStep, graph: &PlanGraph, start: usize) -> Span {
    let dep = step.deps.iter().find(|dep| graph.position(&dep.text) == Some(start));
    dep.map_or(step.head(), |dep| dep.span)
}
