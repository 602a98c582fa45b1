//! See `workflow_condition.md` (WF010).

use super::helpers::definition;
use super::workflow_criteria;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::workflow::Workflow;
use canonry_model::canon::workflow::{END, Route, WorkflowDefinition, WorkflowStep};
use canonry_model::finding::{Location, Severity};
use canonry_runs::workflow::condition::TASK_DONE;
use canonry_runs::workflow::{ConditionError, check_condition};
use canonry_text::closest_match;
use canonry_text::node::SpannedText;

pub(super) static RULE: Rule = Rule {
    id: "workflow-condition",
    summary: "condition, selection criterion or threshold cannot be evaluated",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("workflow_condition.md"),
    check: Check::Each(&[
        Check::Workflow(check),
        Check::At(Defaults::both(Severity::Warning), &Check::Workflow(workflow_criteria::check)),
    ]),
};

fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    for step in &definition.steps {
        for route in &step.routes {
            let Some(condition) = &route.condition else { continue };
            let found = match check_condition(&condition.text, step) {
                Some(error) => Some(describe(&error, step)),
                None => reserved(definition, condition, route),
            };
            let Some((message, help)) = found else { continue };
            findings.push(RULE.at(Location::at(&document.source, condition.span), message).help(help));
        }
    }
}

fn describe(error: &ConditionError, step: &WorkflowStep) -> (String, String) {
    let name = &step.name.text;
    match error {
        ConditionError::Prose => (
            "the condition is neither a keyword nor a comparison".to_owned(),
            "write one word in capitals that the answer contains, such as `APPROVED`, or compare a declared field: `score >= 0.9`".to_owned(),
        ),
        ConditionError::UnknownField(field) => {
            let declared: Vec<&str> =
                step.output.iter().flat_map(|output| &output.fields).map(|field| field.name.text.as_str()).collect();
            let help = match closest_match(field, declared.iter().copied()) {
                Some(known) => format!("did you mean `{known}`?"),
                None if declared.is_empty() => "declare it under `output.schema`, or use a keyword".to_owned(),
                None => format!("the declared fields are {}; keywords are in capitals", declared.join(", ")),
            };
            (format!("the condition uses `{field}`, which `{name}` does not declare"), help)
        }
        ConditionError::OutOfRange(field, value, kind) => {
            (format!("`{field}` is declared as `{kind}` and can never be {value}"), "compare it with a value in this range".to_owned())
        }
        ConditionError::WrongType(field, value, kind) => (
            format!("`{field}` is declared as `{kind}` and cannot be compared with `{value}` like this"),
            "compare it with a value of this type".to_owned(),
        ),
        ConditionError::NotBool(field, kind) => (
            format!("`{field}` is used as a boolean, but is declared as `{kind}`"),
            "compare it with a value, or declare it as bool".to_owned(),
        ),
    }
}

/// The reserved keyword `TASK_DONE` ends the run, so a route to another step contradicts it.
fn reserved(definition: &WorkflowDefinition, condition: &SpannedText, route: &Route) -> Option<(String, String)> {
    let is_elsewhere = route.target.as_ref().is_some_and(|target| target.text != END);
    let is_reserved = condition.text.trim() == TASK_DONE && !definition.is_durable();
    (is_reserved && is_elsewhere).then(|| {
        let message = format!("`{TASK_DONE}` ends the run, so the route is never taken");
        (message, "use another keyword, or route to `end`".to_owned())
    })
}
