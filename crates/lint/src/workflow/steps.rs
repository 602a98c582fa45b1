//! Part of `workflow-schema`: keys of steps that depend on each other or on the dialect.

use super::helpers::{DURATION_HELP, Flaws, definition, is_duration, list};
use crate::Finding;
use canonry_model::canon::workflow::{Workflow, WorkflowDefinition, WorkflowStep};
use canonry_runs::workflow::FieldType;
use canonry_text::Span;

type StepCheck = fn(&WorkflowStep, &WorkflowDefinition, &mut Flaws<'_>);

/// Checks every step.
pub(super) fn each(workflow: &Workflow, findings: &mut Vec<Finding>, check: StepCheck) {
    let Some((document, definition)) = definition(workflow) else { return };
    let mut flaws = Flaws { source: &document.source, findings };
    definition.steps.iter().for_each(|step| check(step, definition, &mut flaws));
}

/// Checks every step of the durable dialect, which requires more keys.
pub(super) fn each_durable(workflow: &Workflow, findings: &mut Vec<Finding>, check: StepCheck) {
    if definition(workflow).is_some_and(|(_, definition)| definition.is_durable()) {
        each(workflow, findings, check);
    }
}

/// Whether the step must have the keys of the durable dialect: it is below `steps`. In `phases`, each key has a default.
fn is_explicit(step: &WorkflowStep, definition: &WorkflowDefinition) -> bool {
    definition.is_durable() && !definition.is_phased && !step.is_whole_plan()
}

/// An evaluator loop repeats the generator, one attempt after the other.
pub(super) fn retry_strategy(step: &WorkflowStep, _: &WorkflowDefinition, flaws: &mut Flaws<'_>) {
    let Some(setting) = step.retry.asked_for().filter(|_| step.retry.strategy.is_none() && step.evaluation.is_none())
    else {
        return;
    };
    let message = format!("`{}` has retries, but no `retry_strategy`", step.name.text);
    let help = "write `retry_strategy: serial` for consecutive attempts, or `parallel` for parallel candidates";
    flaws.add(setting.span, message, help);
}

pub(super) fn retry_limit(step: &WorkflowStep, _: &WorkflowDefinition, flaws: &mut Flaws<'_>) {
    let name = &step.name.text;
    let message = if step.retry.limit.is_some() {
        return;
    } else if step.retry.is("serial") {
        format!("`{name}` has serial retries, but no `max_retries`")
    } else if step.evaluation.is_some() {
        format!("`{name}` has an evaluator, but no `on_fail.max_retries`")
    } else {
        return;
    };
    flaws.add(step.head(), message, "write the number of retries, such as `max_retries: 3`");
}

pub(super) fn retry_feedback(step: &WorkflowStep, _: &WorkflowDefinition, flaws: &mut Flaws<'_>) {
    if step.retry.is("serial") && step.retry.feedback.is_none() {
        let message = format!("`{}` has serial retries, but no `feedback_mode`", step.name.text);
        flaws.add(step.head(), message, "add `feedback_mode:`, such as `include_prev_error`");
    }
}

pub(super) fn retry_exhausted(step: &WorkflowStep, _: &WorkflowDefinition, flaws: &mut Flaws<'_>) {
    // Parallel candidates that all fail take `on_all_failed`.
    let is_routed = step.retry.is("parallel") && step.fan_out.on_all_failed.is_some();
    if step.retry.asked_for().is_some() && step.retry.exhausted.is_none() && !is_routed {
        let message = format!("`{}` has retries, but no `on_max_retries_exceeded`", step.name.text);
        let help = "add `on_max_retries_exceeded:` with `abort`, or the name of a step or gate";
        flaws.add(step.head(), message, help);
    }
}

pub(super) fn candidates(step: &WorkflowStep, _: &WorkflowDefinition, flaws: &mut Flaws<'_>) {
    if !step.retry.is("parallel") {
        return;
    }
    let missing = match (&step.fan_out.candidates, &step.fan_out.selection) {
        (None, _) => "parallel_candidates",
        (Some(_), None) => "selection_criteria",
        (Some(_), Some(_)) => return,
    };
    let message = format!("`{}` has parallel retries, but no `{missing}`", step.name.text);
    let help = "add `parallel_candidates:` of 2 or more, and `selection_criteria:` such as `passed AND max(score)`";
    flaws.add(step.head(), message, help);
}

pub(super) fn fan_in_strategy(step: &WorkflowStep, definition: &WorkflowDefinition, flaws: &mut Flaws<'_>) {
    let fan_out = &step.fan_out;
    let is_parallel = fan_out.candidates.is_some() || !fan_out.children.is_empty() || step.retry.is("parallel");
    if fan_out.strategy.is_some() || !is_parallel {
        return;
    }
    let (key, words) =
        if definition.is_durable() { ("fan_in_strategy", "collect-all or fail-fast") } else { ("check", "all or any") };
    let message = format!("`{}` has parallel workers, but no `{key}`", step.name.text);
    flaws.add(step.head(), message, format!("add `{key}:` with {words}"));
}

pub(super) fn collect_all(step: &WorkflowStep, _: &WorkflowDefinition, flaws: &mut Flaws<'_>) {
    let fan_out = &step.fan_out;
    if fan_out.strategy.as_ref().is_none_or(|strategy| strategy.text != "collect-all") {
        return;
    }
    let keys =
        [("selection_criteria", fan_out.selection.is_some()), ("on_all_failed", fan_out.on_all_failed.is_some())];
    let missing: Vec<String> = keys.iter().filter(|(_, is_set)| !is_set).map(|(key, _)| format!("`{key}`")).collect();
    if !missing.is_empty() {
        let message = format!("`{}` uses `collect-all`, but has no {}", step.name.text, list(&missing, "and no"));
        flaws.add(step.head(), message, format!("add {}", list(&missing, "and")));
    }
}

pub(super) fn fail_fast(step: &WorkflowStep, _: &WorkflowDefinition, flaws: &mut Flaws<'_>) {
    let is_fail_fast = step.fan_out.strategy.as_ref().is_some_and(|strategy| strategy.text == "fail-fast");
    if is_fail_fast && step.fan_out.on_any_failure.is_none() {
        let message = format!("`{}` uses `fail-fast`, but has no `on_any_failure`", step.name.text);
        flaws.add(step.head(), message, "add `on_any_failure:` with `abort`, or the name of a step or gate");
    }
}

pub(super) fn children(step: &WorkflowStep, definition: &WorkflowDefinition, flaws: &mut Flaws<'_>) {
    let name = &step.name.text;
    for child in &step.fan_out.children {
        if child.owner.is_none() {
            let key = if definition.is_durable() { "owner" } else { "agent" };
            let message = format!("a child of the parallel step `{name}` has no `{key}`");
            flaws.add(child.span, message, format!("add `{key}:` with the role that executes it"));
        }
        if let Some(human) = &child.human {
            let message = format!("a child of the parallel step `{name}` waits for a person");
            flaws.add(human.span, message, "move the gate after the parallel step");
        }
    }
}

pub(super) fn effects(step: &WorkflowStep, _: &WorkflowDefinition, flaws: &mut Flaws<'_>) {
    let name = &step.name.text;
    let guard = step.idempotency.as_ref();
    let is_guarded = guard
        .is_some_and(|guard| [&guard.marker, &guard.output_file, &guard.check].iter().any(|setting| setting.is_some()));
    if let Some(effects) = step.effects.as_ref().filter(|effects| effects.text == "external" && !is_guarded) {
        let message = format!("`{name}` has an external effect, which a retry repeats");
        let help = "add `idempotency:` with a `marker` that contains {{run_id}}, an `output_file` or a `check`";
        flaws.add(effects.span, message, help);
    }
    let marker = guard.and_then(|guard| guard.marker.as_ref());
    if let Some(marker) = marker.filter(|marker| !marker.text.contains("run_id")) {
        let message = format!("the idempotency marker of `{name}` is the same in every run");
        flaws.add(marker.span, message, "include `{{run_id}}` in it");
    }
}

pub(super) fn timeout(step: &WorkflowStep, definition: &WorkflowDefinition, flaws: &mut Flaws<'_>) {
    let name = &step.name.text;
    match &step.timeout {
        None if is_explicit(step, definition) => {
            flaws.add(step.head(), format!("`{name}` has no timeout"), DURATION_HELP);
        }
        Some(timeout) if definition.is_durable() && !is_duration(&timeout.text) => {
            let message = format!("the timeout `{}` of `{name}` is not a duration", timeout.text);
            flaws.add(timeout.span, message, DURATION_HELP);
        }
        _ => {}
    }
}

pub(super) fn on_failure(step: &WorkflowStep, definition: &WorkflowDefinition, flaws: &mut Flaws<'_>) {
    if is_explicit(step, definition) && step.on_failure.is_none() {
        let message = format!("`{}` has no `on_failure`", step.name.text);
        flaws.add(step.head(), message, "add `on_failure:` with `abort`, `fail`, or the name of a step or gate");
    }
}

pub(super) fn context_mode(step: &WorkflowStep, definition: &WorkflowDefinition, flaws: &mut Flaws<'_>) {
    if step.context.mode.is_none() && !definition.is_phased && step.plan.is_none() {
        let message = format!("`{}` has no `context_mode`", step.name.text);
        flaws.add(step.head(), message, "add `context_mode:` with one of accumulate, last_only, explicit");
    }
}

pub(super) fn context_fields(step: &WorkflowStep, _: &WorkflowDefinition, flaws: &mut Flaws<'_>) {
    let name = &step.name.text;
    if step.context.mode.as_ref().is_none_or(|mode| mode.text != "explicit") {
        return;
    }
    for input in step.context.inputs.iter().filter(|input| input.fields.is_empty()) {
        let Some(source) = &input.source else { continue };
        let message = format!("`{name}` has an explicit context, but reads the whole output of `{}`", source.text);
        flaws.add(input.span, message, format!("name the fields: `{{source: {}, fields: [\u{2026}]}}`", source.text));
    }
}

pub(super) fn output_contract(step: &WorkflowStep, definition: &WorkflowDefinition, flaws: &mut Flaws<'_>) {
    // An evaluator decides whether the product is good, and a plan is complete or not.
    if !is_explicit(step, definition) || step.evaluation.is_some() || step.plan.is_some() {
        return;
    }
    let name = &step.name.text;
    let (span, message) = match (&step.output, step.field("passed")) {
        (None, _) => (step.head(), format!("`{name}` has no `output`")),
        (Some(output), _) if output.file.is_none() => {
            (start_of(output.span), format!("the output of `{name}` has no `file`"))
        }
        (Some(output), _) if output.schema_file.is_some() => return,
        (Some(output), None) => (start_of(output.span), format!("the output schema of `{name}` has no field `passed`")),
        (Some(_), Some(field)) if FieldType::parse(&field.kind.text) != FieldType::Bool => (
            field.kind.span,
            format!("the field `passed` of `{name}` is declared as `{}`, not as bool", field.kind.text),
        ),
        (Some(_), Some(_)) => return,
    };
    let help = format!(
        "write `output: {{file: {name}.json, schema: {{passed: bool}}}}`, and add the other fields of the step"
    );
    flaws.add(span, message, help);
}

fn start_of(span: Span) -> Span {
    Span::new(span.offset, span.offset)
}
