//! The prompts of steps, gates and decisions.

use super::super::workflow_files::{text_of, yaml_text};
use super::converter::Converter;
use super::expressions::{Reference, TextPart, single, split};
use crate::syntax::node::{Node, ScalarKind};

/// The time of steps for which Spec Kit has no limit.
pub(super) const NO_LIMIT: &str = "1h";
/// The time of steps that only read and answer.
pub(super) const SHORT_LIMIT: &str = "10m";
/// The time of a shell step without `timeout`, in seconds: `steps/shell/__init__.py`.
const SHELL_SECONDS: f64 = 300.0;
/// The role of steps without an integration.
const DEFAULT_ROLE: &str = "agent";

/// A step that a worker does.
pub(super) struct Leaf {
    pub owner: String,
    pub prompt: String,
    pub timeout: String,
    /// The fields of its output besides `passed` and `summary`, with their types.
    pub fields: Vec<(&'static str, &'static str)>,
}

impl Converter<'_> {
    /// A step of a type that a worker can do.
    pub fn leaf(&mut self, node: &Node, kind: &str) -> Leaf {
        let line = self.line(node);
        let (prompt, timeout, fields): (String, String, Vec<(&str, &str)>) = match kind {
            "shell" => {
                self.note(line, "a shell step has no counterpart: the step asks its worker to run the command");
                let seconds = node.get("timeout").and_then(Node::as_scalar).and_then(|scalar| scalar.text.parse().ok());
                let seconds: f64 =
                    seconds.filter(|seconds: &f64| (1.0..1e7).contains(seconds)).unwrap_or(SHELL_SECONDS);
                let prompt = self.shell_prompt(node);
                (prompt, format!("{}s", seconds.ceil()), vec![("exit_code", "number"), ("stdout", "string")])
            }
            "fan-out" => (self.fan_out_prompt(node), NO_LIMIT.to_owned(), Vec::new()),
            _ => (self.work_prompt(node, kind), NO_LIMIT.to_owned(), Vec::new()),
        };
        let template = node.get("step").filter(|_| kind == "fan-out").unwrap_or(node);
        for (key, advice) in
            [("model", "set it in `argv` of the owner"), ("options", "set them in `argv` of the owner")]
        {
            if let Some(value) = template.get(key) {
                let line = self.line(value);
                self.note(line, format!("`{key}` has no counterpart in a step: {advice}"));
            }
        }
        Leaf { owner: self.owner(template), prompt, timeout, fields }
    }

    /// The prompt of a command or a prompt step.
    fn work_prompt(&mut self, node: &Node, kind: &str) -> String {
        if kind == "prompt" {
            let text = self.expanded(node.get("prompt"));
            return format!("{}\n", text.trim_end());
        }
        let command = self.expanded(node.get("command"));
        let mut prompt = format!(
            "Follow the instructions of the command `{command}`. They are among your commands or skills, or in\n`{}/{}.md`.\n",
            self.commands, command
        );
        let input = node.get("input").and_then(Node::as_mapping).map(|mapping| mapping.entries.as_slice());
        for entry in input.unwrap_or_default() {
            let value = self.expanded(Some(&entry.value));
            match entry.key.as_str() {
                "args" => prompt.push_str(&format!("\n## Arguments\n\n{value}\n")),
                key => {
                    let line = self.line(&entry.value);
                    self.note(
                        line,
                        format!("`{key}` of `input` is a sentence of the prompt: commands have only arguments"),
                    );
                    prompt.push_str(&format!("\n{key}: {value}\n"));
                }
            }
        }
        prompt
    }

    fn shell_prompt(&mut self, node: &Node) -> String {
        if let Some(format) = node.get("output_format") {
            let line = self.line(format);
            self.note(line, "`output_format` has no counterpart: `stdout` is a text");
        }
        let command = self.expanded(node.get("run"));
        // A longer fence than any in the command.
        let ticks = command.split(|c| c != '`').map(str::len).max().unwrap_or_default().max(2) + 1;
        let fence = "`".repeat(ticks);
        format!(
            "Run this command at the top of the repository, once and unchanged:\n\n{fence}sh\n{}\n{fence}\n\nReport its exit status as `exit_code` and its output as `stdout`. `passed` is true if the status is 0.\n",
            command.trim_end()
        )
    }

    fn fan_out_prompt(&mut self, node: &Node) -> String {
        let line = self.line(node);
        self.note(line, "`fan-out` over items has no counterpart: one worker does all of them, one after another");
        let items = self.expanded(node.get("items"));
        let template = node.get("step");
        let kind = template.and_then(|step| text_of(step.get("type"))).unwrap_or("command");
        let body = match (template, kind) {
            (Some(step), "command" | "prompt") => self.work_prompt(step, kind),
            (Some(step), "shell") => self.shell_prompt(step),
            _ => {
                self.note(line, format!("the items of a step of type `{kind}` are left to the worker"));
                format!("A step of type `{kind}`.\n")
            }
        };
        format!(
            "Do what follows for each of these items, one after another. `item` is the item.\n\nItems: {items}\n\n## For each item\n\n{body}"
        )
    }

    /// The role of steps that an import adds.
    pub fn default_owner(&mut self) -> String {
        self.workflow.roles.insert(DEFAULT_ROLE.to_owned());
        DEFAULT_ROLE.to_owned()
    }

    /// The role that runs a step: the name of its integration.
    fn owner(&mut self, node: &Node) -> String {
        let default = self.source.root.get("workflow").and_then(|workflow| workflow.get("integration"));
        let integration = node.get("integration").filter(|node| text_of(Some(node)).is_some()).or(default);
        let role = match integration.and_then(|node| Some((node, text_of(Some(node))?))) {
            None => DEFAULT_ROLE.to_owned(),
            Some((_, "auto")) => DEFAULT_ROLE.to_owned(),
            Some((_, name)) if !name.contains("{{") => name.to_owned(),
            Some((node, expression)) => {
                let input = match single(expression).and_then(Reference::parse) {
                    Some(Reference::Input(name)) => self.source.root.get("inputs").and_then(|inputs| inputs.get(name)),
                    _ => None,
                };
                // `auto` is the integration of the project.
                let default = text_of(input.and_then(|input| input.get("default"))).filter(|name| *name != "auto");
                let default = default.unwrap_or(DEFAULT_ROLE).to_owned();
                let line = self.line(node);
                self.note(line, format!("an expression as `integration` has no counterpart: the owner is `{default}`"));
                default
            }
        };
        self.workflow.roles.insert(role.clone());
        role
    }

    /// The prompt of a step that decides what canonry cannot evaluate.
    pub fn decision_prompt(&mut self, expression: &str, answer: &str) -> String {
        let expression = single(expression).unwrap_or(expression).to_owned();
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let mut facts = String::new();
        for word in expression.split(|c| !is_part(c)) {
            if let Some(value) = Reference::parse(word).and_then(|reference| self.placeholder(&reference)) {
                facts.push_str(&format!("- `{word}` is {value}\n"));
            }
        }
        let facts = if facts.is_empty() { facts } else { format!("\n{facts}") };
        format!(
            "Evaluate this expression and change nothing:\n\n    {}\n{facts}\n{answer}\n",
            expression.replace('\n', " ")
        )
    }

    /// The text of a scalar with placeholders of canonry instead of expressions.
    pub fn expanded(&mut self, node: Option<&Node>) -> String {
        let Some(node) = node else { return String::new() };
        let line = self.line(node);
        match node.as_scalar() {
            Some(scalar) if scalar.kind == ScalarKind::Null => String::new(),
            Some(scalar) => self.expand(&scalar.text.clone(), line),
            None => {
                self.note(line, format!("a {} in a prompt is written as JSON", node.kind_name()));
                self.expand(&node.to_json().to_string(), line)
            }
        }
    }

    pub fn expand(&mut self, text: &str, line: usize) -> String {
        let parts = split(text).into_iter().map(|part| match part {
            TextPart::Plain(text) => text.to_owned(),
            TextPart::Expression(expression) => {
                let reference = Reference::parse(expression);
                let value = reference.as_ref().and_then(|reference| self.placeholder(reference));
                if let (Some(Reference::Output(step, "stdout")), Some(value)) = (&reference, &value)
                    && value.ends_with(".summary}}")
                {
                    self.workflow.notes.add(line, format!("`stdout` of `{step}` is its `summary`"));
                }
                value.unwrap_or_else(|| {
                    if expression != "item" && !expression.starts_with("item.") {
                        let text =
                            format!("canonry cannot evaluate `{expression}`: the text has the expression itself");
                        self.workflow.notes.add(line, text);
                    }
                    format!("`{expression}`")
                })
            }
        });
        parts.collect()
    }

    /// A reference as a placeholder. `None` if canonry has no such value.
    fn placeholder(&self, reference: &Reference<'_>) -> Option<String> {
        match reference {
            Reference::Input(name) => self.parameters.get(*name).map(|name| format!("{{{{{name}}}}}")),
            Reference::RunId => Some("{{run_id}}".to_owned()),
            Reference::WorkflowFolder => Some(self.folder.to_owned()),
            Reference::Output(step, field) => {
                let (name, kind) =
                    self.names.get(*step).map(|name| (name, self.kinds.get(*step).map(String::as_str)))?;
                let field = match (*field, kind) {
                    ("exit_code", Some("shell")) => "exit_code",
                    ("stdout", Some("shell")) => "stdout",
                    ("exit_code", Some("command" | "prompt")) => "passed",
                    ("stdout", Some("command" | "prompt")) | ("results", Some("fan-out")) => "summary",
                    _ => return None,
                };
                Some(format!("{{{{{name}.{field}}}}}"))
            }
        }
    }

    /// `parameters`, with what Spec Kit knows about each as a comment.
    pub fn parameters_yaml(&mut self) -> String {
        let inputs = self.source.root.get("inputs").and_then(Node::as_mapping);
        let mut yaml = String::new();
        for entry in inputs.map(|mapping| mapping.entries.as_slice()).unwrap_or_default() {
            let Some(name) = self.parameters.get(&entry.key).cloned() else { continue };
            let line = self.source.line(entry.key_span);
            let input = &entry.value;
            let default = input.get("default").filter(|default| text_of(Some(default)).is_some());
            let value = default.and_then(super::super::workflow_files::yaml_scalar);
            if value.is_none() && text_of(input.get("required")) != Some("true") {
                self.note(line, format!("`{name}` has no value by default, so that a run must be given one"));
            }
            let kind = text_of(input.get("type")).filter(|kind| *kind != "string");
            let values = input.get("enum").map(|values| values.to_json().to_string());
            if kind.is_some() || values.is_some() {
                self.note(
                    line,
                    format!("the type and the values of `{name}` are a comment: canonry does not check them"),
                );
            }
            let comment = [text_of(input.get("prompt")), kind, values.as_deref()];
            let comment: Vec<&str> = comment.into_iter().flatten().collect();
            if !comment.is_empty() {
                let comment: String =
                    comment.join("; ").chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
                yaml.push_str(&format!("  # {comment}\n"));
            }
            yaml.push_str(&format!("  {}: {}\n", yaml_text(&name), value.as_deref().unwrap_or("null")));
        }
        if yaml.is_empty() { yaml } else { format!("parameters:\n{yaml}") }
    }
}
