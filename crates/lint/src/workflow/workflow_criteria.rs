//! Part of `workflow-condition`: selection criteria or quality threshold cannot be evaluated.

use super::helpers::definition;
use super::workflow_condition::RULE;
use crate::Finding;
use canonry_model::canon::workflow::{EvaluatorLoop, Selection, Workflow, WorkflowStep};
use canonry_model::finding::Location;
use canonry_runs::workflow::is_condition;
use canonry_text::Span;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    for step in &definition.steps {
        let selection = step.fan_out.selection.iter().flat_map(|selection| check_selection(selection, step));
        let threshold = step.evaluation.iter().flat_map(|evaluation| check_thresholds(evaluation, step));
        for (span, message, help) in selection.chain(threshold) {
            findings.push(RULE.at(Location::at(&document.source, span), message).help(help));
        }
    }
}

type CriteriaProblem = (Span, String, &'static str);

fn check_selection(selection: &Selection, step: &WorkflowStep) -> Vec<CriteriaProblem> {
    const HELP: &str = "write a condition and an order, such as `passed AND max(score)`";
    let name = &step.name.text;
    let mut found = Vec::new();
    let prose = selection.condition.as_ref().filter(|condition| !is_condition(&condition.text));
    for part in selection.unknown.iter().chain(prose) {
        found.push((
            part.span,
            format!("the selection criterion `{}` of `{name}` cannot be evaluated", part.text),
            HELP,
        ));
    }
    if selection.unknown.is_none() && selection.condition.is_none() && selection.best.is_none() {
        found.push((selection.span, format!("the selection criteria of `{name}` select nothing"), HELP));
    }
    if let Some(best) = selection.best.as_ref().filter(|best| step.declares(&best.field.text) == Some(false)) {
        // `workflow-schema` reports a missing output.
        if step.output.is_some() {
            let message = format!("`{name}` selects a candidate by `{}`, which it does not declare", best.field.text);
            found.push((best.field.span, message, "declare the field under `output.schema` as a number"));
        }
    }
    found
}

fn check_thresholds(evaluation: &EvaluatorLoop, step: &WorkflowStep) -> Vec<CriteriaProblem> {
    let is_unclear = |condition: &Option<String>| condition.as_ref().is_none_or(|condition| !is_condition(condition));
    let unclear = evaluation.thresholds.iter().filter(|threshold| is_unclear(&threshold.condition));
    let problem = |threshold: &canonry_model::canon::workflow::Threshold| {
        let message = format!("the quality threshold of `{}` cannot be evaluated", step.name.text);
        (threshold.span, message, "write a score such as `0.8`, or bounds such as `{min_coverage: 80%, passed: true}`")
    };
    unclear.map(problem).collect()
}
