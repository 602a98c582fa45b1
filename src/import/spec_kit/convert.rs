//! Nested steps become steps with routes.
//!
//! A branch on the result of the step or gate right before it becomes routes of that step or options of that gate.
//! Every other condition is decided by a step of its own, because routes compare only the output of their step.

use super::super::workflow_files::{ConvertedWorkflow, WorkflowText, file_name, is_true, text_of, unique, yaml_text};
use super::converter::{Converter, RESERVED};
use super::expressions::{Test, step_test};
use super::flow::{Continuation, Flow, FlowStep};
use super::leaves::{NO_LIMIT, SHORT_LIMIT};
use super::structure::{LEAVES, blocks, cases, fits, has_loop, id, is_version, iterations, kind_of, sequence, weight};
use crate::syntax::node::Node;
use std::collections::{BTreeMap, BTreeSet};

/// The highest bound on the steps of a run.
const MAX_STEPS: u64 = 10_000;
/// Converts a workflow. `folder` is that of its file, `commands` the canon's folder of commands.
///
/// # Errors
/// It is not a workflow, or Spec Kit itself would refuse it; a reason.
pub(super) fn convert(
    source: &WorkflowText,
    name: &str,
    folder: &str,
    commands: &str,
) -> Result<ConvertedWorkflow, String> {
    let root = &source.root;
    let head = root.get("workflow").filter(|head| head.as_mapping().is_some()).ok_or("it has no `workflow`")?;
    let version = text_of(root.get("schema_version")).unwrap_or("1.0");
    if version != "1.0" {
        return Err(format!("its `schema_version` is {version}, and canonry knows 1.0"));
    }
    let steps = root.get("steps").and_then(Node::as_sequence).filter(|steps| !steps.is_empty());
    let steps = steps.ok_or("it has no `steps`")?;
    let mut converter = Converter {
        source,
        folder,
        commands,
        names: BTreeMap::new(),
        kinds: BTreeMap::new(),
        parameters: BTreeMap::new(),
        continuing: BTreeSet::new(),
        flow: Flow::default(),
        workflow: ConvertedWorkflow { name: file_name(name), ..ConvertedWorkflow::default() },
    };
    converter.name_steps(steps)?;
    converter.name_parameters();
    converter.list(steps, &Continuation::to("end"), None);
    converter.describe_leftovers(head);
    if converter.flow.steps.iter().any(|step| step.timeout == NO_LIMIT) {
        converter.note(
            source.line(head.span),
            format!("Spec Kit has no time limit for agents: wrote `timeout: {NO_LIMIT}`"),
        );
    }
    let mut yaml = format!("workflow: {}\n", yaml_text(text_of(head.get("id")).unwrap_or(name)));
    let given = text_of(head.get("version")).unwrap_or("1.0.0");
    let version = if is_version(given) { given } else { "1.0.0" };
    if version != given {
        converter.note(source.line(head.span), format!("the version {given} is not MAJOR.MINOR.PATCH: wrote 1.0.0"));
    }
    yaml.push_str(&format!("workflow_version: {version}\n"));
    if let Some(description) = text_of(head.get("description")).or_else(|| text_of(head.get("name"))) {
        yaml.push_str(&format!("description: {}\n", yaml_text(description)));
    }
    if has_loop(steps) {
        yaml.push_str(&format!("max_steps: {}\n", weight(steps).clamp(1, MAX_STEPS)));
    }
    yaml.push_str(&converter.parameters_yaml());
    yaml.push_str(&converter.flow.to_yaml());
    converter.workflow.yaml = yaml;
    Ok(converter.workflow)
}

/// What a worker decides, and where it leads.
struct Decision {
    /// How to answer.
    answer: String,
    /// The field of the answer, with its type.
    field: (&'static str, &'static str),
    routes: Vec<(Option<String>, String)>,
}

impl Decision {
    fn on_condition(then: String, otherwise: String) -> Self {
        let answer =
            "Write `holds: true` if it is true, otherwise `holds: false`, and `passed: true` if you could evaluate it.";
        let routes = vec![(Some("holds".to_owned()), then), (None, otherwise)];
        Self { answer: answer.to_owned(), field: ("holds", "bool"), routes }
    }
}

impl Converter<'_> {
    fn name_steps(&mut self, steps: &[Node]) -> Result<(), String> {
        for step in steps {
            let line = self.line(step);
            let id = text_of(step.get("id")).ok_or_else(|| format!("line {line}: a step has no `id`"))?;
            if step.get("type").is_some_and(|kind| kind.as_str().is_none()) {
                return Err(format!("line {line}: the `type` of `{id}` is not a string"));
            }
            let name = self.free_name(&file_name(id).replace('.', "-"));
            if name != id {
                self.note(line, format!("the step `{id}` is called `{name}`"));
            }
            if self.names.insert(id.to_owned(), name).is_some() {
                return Err(format!("line {line}: two steps have the id `{id}`"));
            }
            self.kinds.insert(id.to_owned(), kind_of(step).to_owned());
            for block in blocks(step) {
                self.name_steps(block)?;
            }
        }
        Ok(())
    }

    fn name_parameters(&mut self) {
        let inputs = self.source.root.get("inputs").and_then(Node::as_mapping);
        for entry in inputs.map(|mapping| mapping.entries.as_slice()).unwrap_or_default() {
            let wanted = file_name(&entry.key).replace('.', "-");
            let is_taken = |name: &str| {
                RESERVED.contains(&name)
                    || self.names.values().chain(self.parameters.values()).any(|known| known.eq_ignore_ascii_case(name))
            };
            let name = if is_taken(&wanted) { unique(&format!("input-{wanted}"), is_taken) } else { wanted };
            if name != entry.key {
                let line = self.source.line(entry.key_span);
                self.note(line, format!("the input `{}` is called `{name}`", entry.key));
            }
            self.parameters.insert(entry.key.clone(), name);
        }
    }

    /// The first step or gate of a list; `after` if it has none.
    fn entry(&self, steps: &[Node], after: &str) -> String {
        let Some((step, rest)) = steps.split_first() else { return after.to_owned() };
        let body = sequence(step, "steps");
        match kind_of(step) {
            "fan-in" => self.entry(rest, after),
            "while" | "do-while" if body.is_empty() => self.entry(rest, after),
            "do-while" => self.entry(body, &self.name(step)),
            _ => self.name(step),
        }
    }

    /// Adds steps. `before` is the last step that has run whenever these begin; returns the one after them.
    fn list(&mut self, steps: &[Node], after: &Continuation, mut before: Option<String>) -> Option<String> {
        let mut rest = steps;
        while let Some((step, following)) = rest.split_first() {
            rest = following;
            if matches!(kind_of(step), "if" | "switch") {
                let target = Continuation::to(self.target_of_rest(rest, after));
                let target = if rest.is_empty() { after.clone() } else { target };
                before = self.decided_branch(step, &target.otherwise);
                continue;
            }
            // A branch right after the step that decides it.
            let branch = following.first().filter(|branch| self.is_decided_by(step, branch));
            match branch {
                Some(branch) => {
                    rest = &following[1..];
                    let then = if rest.is_empty() { after.otherwise.clone() } else { self.target_of_rest(rest, after) };
                    let continuation = self.branch_continuation(branch, &then);
                    before = self.one(step, &continuation, before);
                    self.branch_bodies(branch, &then, before.clone());
                }
                None => {
                    let continuation = match rest.is_empty() {
                        true => after.clone(),
                        false => Continuation::to(self.target_of_rest(rest, after)),
                    };
                    before = self.one(step, &continuation, before);
                }
            }
        }
        before
    }

    fn target_of_rest(&self, rest: &[Node], after: &Continuation) -> String {
        self.entry(rest, &after.otherwise)
    }

    /// Whether a branch only tests the result of the step before it.
    fn is_decided_by(&self, step: &Node, branch: &Node) -> bool {
        let kind = kind_of(step);
        let test = match kind_of(branch) {
            "if" => text_of(branch.get("condition")).and_then(step_test),
            "switch" => {
                let value = text_of(branch.get("expression")).and_then(super::expressions::single);
                return kind == "gate"
                    && value.is_some_and(|value| value == format!("steps.{}.output.choice", id(step)));
            }
            _ => None,
        };
        test.is_some_and(|found| found.step == id(step) && fits(kind, &found.test))
    }

    /// Where the step before a branch leads.
    fn branch_continuation(&self, branch: &Node, after: &str) -> Continuation {
        let default = if kind_of(branch) == "switch" { "default" } else { "else" };
        let otherwise = self.entry(sequence(branch, default), after);
        let tests = match kind_of(branch) {
            "switch" => cases(branch)
                .iter()
                .map(|case| {
                    let body = case.value.as_sequence().unwrap_or_default();
                    (Test::Chose(case.key.clone(), true), self.entry(body, after))
                })
                .collect(),
            _ => {
                let test = text_of(branch.get("condition")).and_then(step_test).map(|found| found.test);
                let then = self.entry(sequence(branch, "then"), after);
                test.into_iter().map(|test| (test, then.clone())).collect()
            }
        };
        Continuation { tests, otherwise }
    }

    fn branch_bodies(&mut self, branch: &Node, after: &str, before: Option<String>) {
        for body in blocks(branch) {
            self.list(body, &Continuation::to(after), before.clone());
        }
    }

    /// Adds a branch with a step that decides it.
    fn decided_branch(&mut self, branch: &Node, after: &str) -> Option<String> {
        let (line, name) = (self.line(branch), self.name(branch));
        let is_switch = kind_of(branch) == "switch";
        self.note(
            line,
            format!("the condition of `{}` compares more than the step before it: a worker evaluates it", id(branch)),
        );
        let decision = if is_switch { self.switch_decision(branch, after) } else { self.if_decision(branch, after) };
        let expression = text_of(branch.get(if is_switch { "expression" } else { "condition" })).unwrap_or_default();
        self.decide(name.clone(), expression, decision);
        self.branch_bodies(branch, after, Some(name.clone()));
        Some(name)
    }

    fn if_decision(&self, branch: &Node, after: &str) -> Decision {
        let then = self.entry(sequence(branch, "then"), after);
        Decision::on_condition(then, self.entry(sequence(branch, "else"), after))
    }

    fn switch_decision(&self, branch: &Node, after: &str) -> Decision {
        let mut answer = "Write one of these as `choice`, and `passed: true` if you could evaluate it:\n\n".to_owned();
        let mut routes = Vec::new();
        for (number, case) in (1..).zip(cases(branch)) {
            let is_word =
                !case.key.is_empty() && case.key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
            let label = if is_word { case.key.clone() } else { format!("case-{number}") };
            let value = case.key.replace('`', "'").replace('\n', " ");
            answer.push_str(&format!("- `{label}` if the value is `{value}`\n"));
            let body = case.value.as_sequence().unwrap_or_default();
            routes.push((Some(format!("choice == {label}")), self.entry(body, after)));
        }
        answer.push_str("- `other` if it is anything else\n");
        routes.push((None, self.entry(sequence(branch, "default"), after)));
        Decision { answer, field: ("choice", "string"), routes }
    }

    /// Adds a step that decides what canonry cannot evaluate.
    fn decide(&mut self, name: String, expression: &str, decision: Decision) {
        let text = self.decision_prompt(expression, &decision.answer);
        let prompt = self.workflow.add_template(&name, text);
        let owner = self.default_owner();
        self.flow.steps.push(FlowStep {
            name,
            owner,
            prompt,
            timeout: SHORT_LIMIT.to_owned(),
            fields: vec![decision.field],
            routes: decision.routes,
            on_failure: "abort".to_owned(),
        });
    }

    /// Adds a step that is not a branch.
    fn one(&mut self, node: &Node, after: &Continuation, before: Option<String>) -> Option<String> {
        self.unknown_keys(node);
        match kind_of(node) {
            kind if LEAVES.contains(&kind) => Some(self.worker_step(node, kind, after)),
            "gate" => Some(self.gate(node, after, before)),
            "while" | "do-while" => self.repeat(node, &after.otherwise, before),
            "fan-in" => {
                let line = self.line(node);
                self.note(
                    line,
                    format!(
                        "`fan-in` has no counterpart: later steps read the output of what `{}` waits for",
                        id(node)
                    ),
                );
                before
            }
            kind => Some(self.manual_gate(node, kind, after, before)),
        }
    }

    fn worker_step(&mut self, node: &Node, kind: &str, after: &Continuation) -> String {
        let name = self.name(node);
        let leaf = self.leaf(node, kind);
        let prompt = self.workflow.add_template(&name, leaf.prompt);
        let (success, failure) = (after.after_result(true).to_owned(), after.after_result(false).to_owned());
        let routes = match success == failure {
            true => vec![(None, success)],
            false => vec![(Some("passed".to_owned()), success), (None, failure.clone())],
        };
        let continues = is_true(node.get("continue_on_error"));
        let on_failure = if continues { failure } else { "abort".to_owned() };
        // `on_failure` has no `end`.
        let on_failure = if on_failure == "end" { "continue".to_owned() } else { on_failure };
        if continues {
            self.continuing.insert(name.clone());
        }
        let (owner, timeout, fields) = (leaf.owner, leaf.timeout, leaf.fields);
        self.flow.steps.push(FlowStep { name: name.clone(), owner, prompt, timeout, fields, routes, on_failure });
        name
    }

    /// Adds a loop. Returns the step that decides whether it is repeated, or the last one of the body.
    fn repeat(&mut self, node: &Node, after: &str, before: Option<String>) -> Option<String> {
        let (line, name, body) = (self.line(node), self.name(node), sequence(node, "steps"));
        if body.is_empty() {
            self.note(line, format!("the loop `{}` has no steps and is left out", id(node)));
            return before;
        }
        self.note(
            line,
            format!("`max_iterations: {}` has no counterpart: `max_steps` limits the whole run", iterations(node)),
        );
        let condition = text_of(node.get("condition")).unwrap_or_default().to_owned();
        let begin = self.entry(body, &name);
        if kind_of(node) == "do-while"
            && let Some(found) = step_test(&condition)
            && let Some(last) = body.last().filter(|last| id(last) == found.step && fits(kind_of(last), &found.test))
        {
            let is_leaf_or_gate = kind_of(last) == "gate" || LEAVES.contains(&kind_of(last));
            if is_leaf_or_gate {
                let again = Continuation { tests: vec![(found.test, begin)], otherwise: after.to_owned() };
                return self.list(body, &again, before);
            }
        }
        self.note(line, format!("a worker evaluates the condition of the loop `{}`", id(node)));
        let decision = Decision::on_condition(begin, after.to_owned());
        if kind_of(node) == "while" {
            self.decide(name.clone(), &condition, decision);
            self.list(body, &Continuation::to(&name), Some(name.clone()));
        } else {
            self.list(body, &Continuation::to(&name), before);
            self.decide(name.clone(), &condition, decision);
        }
        Some(name)
    }

    /// Reports the keys of a step that are not converted.
    fn unknown_keys(&mut self, node: &Node) {
        const KNOWN: [&str; 28] = [
            "id",
            "type",
            "command",
            "input",
            "integration",
            "model",
            "options",
            "prompt",
            "run",
            "timeout",
            "output_format",
            "message",
            "on_reject",
            "show_file",
            "verdict_input",
            "condition",
            "then",
            "else",
            "expression",
            "cases",
            "default",
            "steps",
            "max_iterations",
            "items",
            "step",
            "max_concurrency",
            "wait_for",
            "continue_on_error",
        ];
        let manual =
            !LEAVES.contains(&kind_of(node)) && !["gate", "while", "do-while", "fan-in"].contains(&kind_of(node));
        let entries = node.as_mapping().map(|mapping| mapping.entries.as_slice()).unwrap_or_default();
        for entry in entries.iter().filter(|entry| !KNOWN.contains(&entry.key.as_str()) && !manual) {
            self.note(self.source.line(entry.key_span), format!("`{}` has no counterpart and is left out", entry.key));
        }
    }

    /// Reports the keys at the top that are not converted.
    fn describe_leftovers(&mut self, head: &Node) {
        let known = ["schema_version", "workflow", "inputs", "steps"];
        let known_head = ["id", "name", "version", "description", "integration"];
        let entries = |node: &Node| node.as_mapping().map(|mapping| mapping.entries.clone()).unwrap_or_default();
        let top = entries(&self.source.root).into_iter().filter(|entry| !known.contains(&entry.key.as_str()));
        let head = entries(head).into_iter().filter(|entry| !known_head.contains(&entry.key.as_str()));
        for entry in top.chain(head).collect::<Vec<_>>() {
            self.note(self.source.line(entry.key_span), format!("`{}` has no counterpart and is left out", entry.key));
        }
    }
}
