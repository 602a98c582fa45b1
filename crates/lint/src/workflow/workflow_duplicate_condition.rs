//! See `workflow_duplicate_condition.md` (WF006).

use super::helpers::definition;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::{Location, Severity};
use canonry_text::Span;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

pub(super) static RULE: Rule = Rule {
    id: "workflow-duplicate-condition",
    summary: "duplicate condition in the routes of a step",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("workflow_duplicate_condition.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    for step in &definition.steps {
        let mut first: BTreeMap<String, Span> = BTreeMap::new();
        for condition in step.routes.iter().filter_map(|route| route.condition.as_ref()) {
            let plain = condition.text.split_whitespace().collect::<Vec<_>>().join(" ");
            match first.entry(plain) {
                Entry::Vacant(free) => {
                    free.insert(condition.span);
                }
                Entry::Occupied(known) => {
                    let message =
                        format!("`{}` has another route with the condition `{}`", step.name.text, known.key());
                    let finding = RULE.at(Location::at(&document.source, condition.span), message);
                    let finding = finding.related(Location::at(&document.source, *known.get()), "this route is taken");
                    findings.push(finding.help("remove one of the two routes, or change its condition"));
                }
            }
        }
    }
}
