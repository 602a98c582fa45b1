//! Parses YAML of every dialect into the model. Values of the wrong type are skipped here and reported by the schema.

use super::dialect::WorkflowDialect;
use super::model::{
    END, FanOut, GateOption, Idempotency, OutputField, ParallelChild, RetryPolicy, Route, StepContext, StepInput,
    StepOutput, WorkflowDefinition, WorkflowGate, WorkflowParameter, WorkflowStep,
};
use super::setting::{setting, setting_of, text_of};
use super::{evaluation, selection};
use canonry_text::Span;
use canonry_text::node::{MappingEntry, Node, SpannedText};

/// Parses a workflow of `dialect`.
pub(super) fn definition(root: &Node, dialect: WorkflowDialect) -> WorkflowDefinition {
    let phases = root.get("phases").filter(|_| root.get("steps").is_none());
    let mut steps = steps(root.get("steps").or(phases), dialect);
    if let Some(plan) = setting(root, "plan").filter(|_| steps.is_empty()) {
        steps.push(plan_step(plan));
    }
    if phases.is_some() || dialect == WorkflowDialect::Listed {
        fall_through(&mut steps, phases.is_some());
    }
    WorkflowDefinition {
        dialect,
        name: setting(root, "workflow").or_else(|| setting(root, "name")),
        policy: setting(root, "policy"),
        parameters: root.get("parameters").map(parameters).unwrap_or_default(),
        version: setting(root, "workflow_version"),
        max_steps: setting(root, "max_steps"),
        is_phased: phases.is_some(),
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
    let evaluation = evaluation::parse(node);
    let on_fail = node.get("on_fail");
    let feedback = evaluation.as_ref().filter(|evaluation| evaluation.feedback).map(|evaluation| evaluation.span);
    WorkflowStep {
        name,
        span: node.span,
        owner: setting(node, owner).or_else(|| Some(evaluation.as_ref()?.generator.clone())),
        prompt: setting(node, "prompt"),
        plan: setting(node, "plan"),
        report: report(node),
        report_format: node.get("report").and_then(|report| setting(report, "format")),
        report_validation: node.get("report").and_then(|report| setting(report, "validation")),
        human: setting(node, "human").filter(|human| human.text != "false"),
        ends: setting(node, "end").is_some_and(|end| end.text.eq_ignore_ascii_case("true")),
        routes: routes(node, dialect),
        on_failure: action(node, "on_failure"),
        timeout: setting(node, "timeout"),
        context: StepContext {
            mode: setting(node, "context_mode"),
            inputs: items(node, "context_inputs").iter().map(input).collect(),
            session: setting(node, "session"),
        },
        retry: RetryPolicy {
            strategy: setting(node, "retry_strategy"),
            limit: setting(node, "max_retries").or_else(|| setting(on_fail?, "max_retries")),
            feedback: setting(node, "feedback_mode")
                .or_else(|| Some(SpannedText { text: "include_prev_error".to_owned(), span: feedback? })),
            exhausted: action(node, "on_max_retries_exceeded"),
        },
        fan_out: fan_out(node, dialect),
        output: node.get("output").and_then(output),
        evaluation,
        effects: setting(node, "effects"),
        idempotency: node.get("idempotency").filter(|node| node.as_mapping().is_some()).map(idempotency),
    }
}

fn fan_out(node: &Node, dialect: WorkflowDialect) -> FanOut {
    let (strategy, owner) =
        if dialect == WorkflowDialect::Durable { ("fan_in_strategy", "owner") } else { ("check", "agent") };
    let child = |child: &Node| ParallelChild {
        span: child.span,
        name: setting(child, "name"),
        owner: setting(child, owner),
        prompt: setting(child, "prompt"),
        report: report(child),
        timeout: setting(child, "timeout"),
        human: setting(child, "human").filter(|human| human.text != "false"),
        output: child.get("output").and_then(output),
    };
    FanOut {
        candidates: setting(node, "parallel_candidates"),
        children: items(node, "parallel").iter().filter(|item| item.as_mapping().is_some()).map(child).collect(),
        strategy: setting(node, strategy),
        selection: node.get("selection_criteria").and_then(selection::parse),
        reject: items(node, "reject").iter().filter_map(text_of).collect(),
        on_all_failed: action(node, "on_all_failed"),
        on_any_failure: action(node, "on_any_failure"),
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
    }
    let ends = setting(node, "end").filter(|end| end.text.eq_ignore_ascii_case("true"));
    found.extend(ends.map(|end| unconditional(SpannedText { text: END.to_owned(), span: end.span })));
    found
}

/// Parses a mapping with a target, or a plain target name.
fn route(node: &Node, condition: &str) -> Option<Route> {
    if node.as_mapping().is_some() {
        let target = setting(node, "goto");
        return Some(Route { span: node.span, condition: setting(node, condition), is_implied: false, target });
    }
    text_of(node).map(unconditional)
}

fn unconditional(target: SpannedText) -> Route {
    Route { span: target.span, condition: None, is_implied: false, target: Some(target) }
}

fn implied(target: SpannedText) -> Route {
    Route { is_implied: true, ..unconditional(target) }
}

/// The only step of a workflow that executes a plan.
fn plan_step(plan: SpannedText) -> WorkflowStep {
    let span = plan.span;
    let name = SpannedText { text: "plan".to_owned(), span };
    let end = unconditional(SpannedText { text: END.to_owned(), span });
    WorkflowStep {
        name,
        span,
        owner: None,
        prompt: None,
        plan: Some(plan),
        report: None,
        report_format: None,
        report_validation: None,
        human: None,
        ends: true,
        routes: vec![end],
        on_failure: None,
        timeout: None,
        context: StepContext::default(),
        retry: RetryPolicy::default(),
        fan_out: FanOut::default(),
        output: None,
        evaluation: None,
        effects: None,
        idempotency: None,
    }
}

/// `report`: a name, or a mapping with `name`.
fn report(node: &Node) -> Option<SpannedText> {
    let report = node.get("report")?;
    let name = if report.as_mapping().is_some() { setting(report, "name") } else { setting_of(report) };
    name.filter(|name| name.text != "false")
}

/// `parameters`: names with default values, or a list of names.
fn parameters(node: &Node) -> Vec<WorkflowParameter> {
    if let Some(mapping) = node.as_mapping() {
        let parameter = |entry: &MappingEntry| WorkflowParameter {
            name: SpannedText { text: entry.key.clone(), span: entry.key_span },
            default: text_of(&entry.value),
        };
        return mapping.entries.iter().map(parameter).collect();
    }
    let names = node.as_sequence().unwrap_or_default().iter().filter_map(text_of);
    names.map(|name| WorkflowParameter { name, default: None }).collect()
}

/// Action in a case: a name, or a mapping with `action`.
fn action(node: &Node, key: &str) -> Option<SpannedText> {
    let value = node.get(key)?;
    if value.as_mapping().is_some() {
        setting(value, "action").or_else(|| setting_of(value))
    } else {
        setting_of(value)
    }
}

/// A step in a list without an unconditional route continues with the next step. The last phase ends the run.
fn fall_through(steps: &mut [WorkflowStep], last_ends: bool) {
    if last_ends
        && let Some(last) = steps.last_mut()
        && last.routes.last().is_none_or(|route| route.condition.is_some())
    {
        let span = last.head();
        last.ends = true;
        last.routes.push(implied(SpannedText { text: END.to_owned(), span }));
    }
    let heads: Vec<SpannedText> = steps.iter().map(|step| step.name.clone()).collect();
    for (step, following) in steps.iter_mut().zip(heads.into_iter().skip(1)) {
        let is_open = step.routes.last().is_none_or(|route| route.condition.is_some());
        if is_open && !following.text.is_empty() {
            let span = step.head();
            step.routes.push(implied(SpannedText { text: following.text, span }));
        }
    }
}

fn input(node: &Node) -> StepInput {
    if node.as_mapping().is_some() {
        let one = || setting(node, "fields").into_iter().collect();
        let fields = node.get("fields").and_then(Node::as_sequence);
        let fields = fields.map_or_else(one, |items| items.iter().filter_map(text_of).collect());
        let source =
            setting(node, "source").map(|source| SpannedText { text: step_name(&source.text).to_owned(), ..source });
        return StepInput { span: node.span, source, fields };
    }
    let Some(mut whole) = text_of(node) else { return StepInput { span: node.span, source: None, fields: Vec::new() } };
    whole.text = step_name(&whole.text).to_owned();
    let part = |text: &str| SpannedText { text: text.to_owned(), span: whole.span };
    let (source, fields) = match whole.text.split_once('.') {
        Some((source, field)) => (part(source), vec![part(field)]),
        None => (part(&whole.text), Vec::new()),
    };
    StepInput { span: node.span, source: Some(source), fields }
}

/// A reference without the prefix that says where steps are.
fn step_name(reference: &str) -> &str {
    ["phases.", "steps."].iter().find_map(|prefix| reference.strip_prefix(prefix)).unwrap_or(reference)
}

fn output(node: &Node) -> Option<StepOutput> {
    node.as_mapping()?;
    let schema = node.get("schema").and_then(Node::as_mapping);
    let fields = schema.iter().flat_map(|schema| &schema.entries).map(|entry| OutputField {
        name: SpannedText { text: entry.key.clone(), span: entry.key_span },
        kind: setting_of(&entry.value).unwrap_or_else(|| nameless(&entry.value)),
    });
    let schema_file = node.get("schema").and_then(text_of);
    Some(StepOutput { span: node.span, file: setting(node, "file"), schema_file, fields: fields.collect() })
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
        value: if item.as_mapping().is_some() { setting(item, "value") } else { text_of(item) },
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
