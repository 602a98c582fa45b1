//! See `workflow_no_fallback.md` (WF005).

use super::helpers::definition;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::workflow::Workflow;
use canonry_model::canon::workflow::WorkflowDialect;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "workflow-no-fallback",
    summary: "routes without an unconditional fallback",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("workflow_no_fallback.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    for step in &definition.steps {
        let name = &step.name.text;
        let finding = |span, message| RULE.at(Location::at(&document.source, span), message);
        let unconditional = step.routes.iter().position(|route| route.condition.is_none());
        findings.extend(match (unconditional, step.routes.last()) {
            (_, None) => Some(
                finding(step.head(), format!("`{name}` has no routes"))
                    .help(format!("add a route, {}", example(definition.dialect))),
            ),
            (None, Some(last)) => Some(
                finding(last.span, format!("`{name}` has no route if none of its conditions is true"))
                    .help(format!("add a final route without a condition, {}", example(definition.dialect))),
            ),
            (Some(unconditional), Some(last)) if unconditional + 1 < step.routes.len() => Some(
                finding(
                    step.routes[unconditional].span,
                    format!("the routes of `{name}` after this one are never taken"),
                )
                .related(Location::at(&document.source, last.span), "such as this one")
                .help("move the route without a condition to the end"),
            ),
            _ => None,
        });
    }
}

fn example(dialect: WorkflowDialect) -> &'static str {
    match dialect {
        WorkflowDialect::Listed => "such as `next: review` or `end: true`",
        WorkflowDialect::Durable | WorkflowDialect::Routed => "such as `- goto: end`",
    }
}
