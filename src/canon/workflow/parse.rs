//! Parses YAML of every dialect into the model. Values of the wrong type are skipped here and reported by the schema.

use super::dialect::WorkflowDialect;
use super::model::{END, WorkflowDefinition};
use super::model::{
    FanOut, Idempotency, OutputField, ParallelChild, RetryPolicy, Route, StepContext, StepInput, StepOutput,
    WorkflowStep,
};
use super::model::{GateOption, WorkflowGate};
use crate::syntax::Span;
use crate::syntax::node::SpannedText;
use crate::syntax::node::{Node, ScalarKind};

/// Parses a workflow of `dialect`.
pub(super) fn definition(root: &Node, dialect: WorkflowDialect) -> WorkflowDefinition {
    let mut steps = steps(root.get("steps"), dialect);
    if dialect == WorkflowDialect::Listed {
        fall_through(&mut steps);
    }
    WorkflowDefinition {
        dialect,
        version: setting(root, "workflow_version"),
        max_steps: setting(root, "max_steps"),
        steps,
        gates: items(root, "gates").iter().filter(|item| item.as_mapping().is_some()).map(gate).collect(),
    }
}

fn steps(node: Option<&Node>, dialect: WorkflowDialect) -> Vec<WorkflowStep> {
    if let Some(mapping) = node.and_then(Node::as_mapping) {
        let named = mapping.entries.iter().filter(|entry| entry.value.as_mapping().is_some());
        return named
            .map(|entry| step(SpannedText { text: entry.key.clone(), span: entry.key_span }, &entry.value, dialect))
            .collect();
    }
    let items = node.and_then(Node::as_sequence).unwrap_or_default();
    let items = items.iter().filter(|item| item.as_mapping().is_some());
    items.map(|item| step(setting(item, "name").unwrap_or_else(|| nameless(item)), item, dialect)).collect()
}

fn nameless(node: &Node) -> SpannedText {
    SpannedText { text: String::new(), span: Span::new(node.span.offset, node.span.offset) }
}

fn step(name: SpannedText, node: &Node, dialect: WorkflowDialect) -> WorkflowStep {
    let owner = if dialect == WorkflowDialect::Durable { "owner" } else { "agent" };
    WorkflowStep {
        name,
        span: node.span,
        owner: setting(node, owner),
        routes: routes(node, dialect),
        on_failure: setting(node, "on_failure"),
        timeout: setting(node, "timeout"),
        context: StepContext {
            mode: setting(node, "context_mode"),
            inputs: items(node, "context_inputs").iter().map(input).collect(),
            session: setting(node, "session"),
        },
        retry: RetryPolicy {
            strategy: setting(node, "retry_strategy"),
            limit: setting(node, "max_retries"),
            feedback: setting(node, "feedback_mode"),
            exhausted: setting(node, "on_max_retries_exceeded"),
        },
        fan_out: fan_out(node, dialect),
        output: node.get("output").and_then(output),
        effects: setting(node, "effects"),
        idempotency: node.get("idempotency").filter(|node| node.as_mapping().is_some()).map(idempotency),
    }
}

fn fan_out(node: &Node, dialect: WorkflowDialect) -> FanOut {
    let (strategy, owner) =
        if dialect == WorkflowDialect::Durable { ("fan_in_strategy", "owner") } else { ("check", "agent") };
    let child = |child: &Node| ParallelChild {
        span: child.span,
        owner: setting(child, owner),
        human: setting(child, "human").filter(|human| human.text != "false"),
        output: child.get("output").and_then(output),
    };
    FanOut {
        candidates: setting(node, "parallel_candidates"),
        children: items(node, "parallel").iter().filter(|item| item.as_mapping().is_some()).map(child).collect(),
        strategy: setting(node, strategy),
        selection: setting(node, "selection_criteria"),
        on_all_failed: setting(node, "on_all_failed"),
        on_any_failure: setting(node, "on_any_failure"),
    }
}

fn routes(node: &Node, dialect: WorkflowDialect) -> Vec<Route> {
    let mut found = Vec::new();
    if dialect == WorkflowDialect::Listed {
        found.extend(items(node, "conditions").iter().filter_map(|item| route(item, "keyword")));
    }
    if let Some(next) = node.get("next") {
        match next.as_sequence() {
            Some(items) => found.extend(items.iter().filter_map(|item| route(item, "if"))),
            None => found.extend(route(next, "if")),
        }
    }
    if dialect != WorkflowDialect::Durable {
        found.extend(node.get("goto").and_then(text_of).map(unconditional));
        let ends = setting(node, "end").filter(|end| end.text.eq_ignore_ascii_case("true"));
        found.extend(ends.map(|end| unconditional(SpannedText { text: END.to_owned(), span: end.span })));
    }
    found
}

/// Parses a mapping with a target, or a plain target name.
fn route(node: &Node, condition: &str) -> Option<Route> {
    if node.as_mapping().is_some() {
        let target = setting(node, "goto");
        return Some(Route { span: node.span, condition: setting(node, condition), target });
    }
    text_of(node).map(unconditional)
}

fn unconditional(target: SpannedText) -> Route {
    Route { span: target.span, condition: None, target: Some(target) }
}

/// A step in a list without an unconditional route continues with the next step.
fn fall_through(steps: &mut [WorkflowStep]) {
    let heads: Vec<SpannedText> = steps.iter().map(|step| step.name.clone()).collect();
    for (step, following) in steps.iter_mut().zip(heads.into_iter().skip(1)) {
        let is_open = step.routes.last().is_none_or(|route| route.condition.is_some());
        if is_open && !following.text.is_empty() {
            let span = step.head();
            step.routes.push(Route { span, condition: None, target: Some(SpannedText { text: following.text, span }) });
        }
    }
}

fn input(node: &Node) -> StepInput {
    if node.as_mapping().is_some() {
        let one = || setting(node, "fields").into_iter().collect();
        let fields = node.get("fields").and_then(Node::as_sequence);
        let fields = fields.map_or_else(one, |items| items.iter().filter_map(text_of).collect());
        return StepInput { span: node.span, source: setting(node, "source"), fields };
    }
    let Some(whole) = text_of(node) else { return StepInput { span: node.span, source: None, fields: Vec::new() } };
    let part = |text: &str| SpannedText { text: text.to_owned(), span: whole.span };
    let (source, fields) = match whole.text.split_once('.') {
        Some((source, field)) => (part(source), vec![part(field)]),
        None => (part(&whole.text), Vec::new()),
    };
    StepInput { span: node.span, source: Some(source), fields }
}

fn output(node: &Node) -> Option<StepOutput> {
    node.as_mapping()?;
    let schema = node.get("schema").and_then(Node::as_mapping);
    let fields = schema.iter().flat_map(|schema| &schema.entries).map(|entry| OutputField {
        name: SpannedText { text: entry.key.clone(), span: entry.key_span },
        kind: setting_of(&entry.value).unwrap_or_else(|| nameless(&entry.value)),
    });
    Some(StepOutput { span: node.span, file: setting(node, "file"), fields: fields.collect() })
}

fn idempotency(node: &Node) -> Idempotency {
    Idempotency {
        marker: setting(node, "marker"),
        output_file: setting(node, "output_file"),
        check: setting(node, "check"),
    }
}

fn gate(node: &Node) -> WorkflowGate {
    let choice = |item: &Node| GateOption {
        span: item.span,
        value: setting(item, "value"),
        target: setting(item, "goto"),
        default: setting(item, "default").is_some_and(|default| default.text.eq_ignore_ascii_case("true")),
    };
    WorkflowGate {
        span: node.span,
        id: setting(node, "gate_id").unwrap_or_else(|| nameless(node)),
        kind: setting(node, "type"),
        trigger: setting(node, "trigger_condition"),
        message: setting(node, "message"),
        choices: items(node, "options").iter().map(choice).collect(),
        timeout: setting(node, "timeout"),
        timeout_action: setting(node, "timeout_action"),
        default: setting(node, "default"),
    }
}

fn items<'a>(node: &'a Node, key: &str) -> &'a [Node] {
    node.get(key).and_then(Node::as_sequence).unwrap_or_default()
}

/// The value of a key, if it is not empty. A list or mapping becomes a placeholder text, so that the rule for the key
/// reports it as invalid.
fn setting(node: &Node, key: &str) -> Option<SpannedText> {
    node.get(key).and_then(setting_of)
}

fn setting_of(node: &Node) -> Option<SpannedText> {
    let text = match node.as_scalar() {
        Some(scalar) if scalar.kind == ScalarKind::Null || scalar.text.trim().is_empty() => return None,
        Some(scalar) => scalar.text.clone(),
        None if node.as_sequence().is_some() => "[…]".to_owned(),
        None => "{…}".to_owned(),
    };
    Some(SpannedText { text, span: node.span })
}

fn text_of(node: &Node) -> Option<SpannedText> {
    node.as_scalar().and_then(|_| setting_of(node))
}
