//! See `plan_unknown_dep.md`.

use super::helpers::document;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::plan::Plan;
use canonry_model::finding::{Location, Severity};
use canonry_text::closest_match;

/// The number of comparisons for suggestions in one plan.
const SUGGESTIONS: usize = 1_000_000;

pub(super) static RULE: Rule = Rule {
    id: "plan-unknown-dep",
    summary: "dependency on a step that does not exist",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("plan_unknown_dep.md"),
    check: Check::Plan(check),
};

fn check(plan: &Plan, findings: &mut Vec<Finding>) {
    let Some(document) = document(plan) else { return };
    let graph = document.graph();
    let mut suggestions = SUGGESTIONS;
    for step in &document.steps {
        // `plan-schema` reports empty dependencies.
        let unknown = step.deps.iter().filter(|dep| !dep.text.is_empty() && graph.position(&dep.text).is_none());
        for dep in unknown {
            let message = format!("`{}` depends on `{}`, but no step has that id", step.id_text(), dep.text);
            let others = document.steps.iter().map(|other| other.id_text()).filter(|id| *id != step.id_text());
            let others = others.filter(|id| !id.is_empty()).take(suggestions);
            suggestions = suggestions.saturating_sub(document.steps.len());
            let help = match closest_match(&dep.text, others) {
                Some(id) => format!("did you mean `{id}`?"),
                None => "use the id of a step of this plan, or remove the dependency".to_owned(),
            };
            findings.push(RULE.at(Location::at(&document.source, dep.span), message).help(help));
        }
    }
}
