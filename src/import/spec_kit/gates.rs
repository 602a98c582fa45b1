//! Gates: those of the source, and those that replace what has no counterpart.

use super::super::workflow_files::{file_name, text_of};
use super::converter::Converter;
use super::flow::{Continuation, FlowGate, FlowStep};
use super::leaves::SHORT_LIMIT;
use super::structure::sequence;
use crate::syntax::node::Node;

impl Converter<'_> {
    /// Adds a gate; returns the step before it.
    pub fn gate(&mut self, node: &Node, after: &Continuation, before: Option<String>) -> String {
        let (line, name) = (self.line(node), self.name(node));
        let mut message = self.expanded(node.get("message"));
        if message.trim().is_empty() {
            "Review required.".clone_into(&mut message);
        }
        if let Some(file) = node.get("show_file") {
            let file_line = self.line(file);
            self.note(file_line, "`show_file` has no counterpart: the message names the file");
            let file = self.expanded(Some(file));
            message.push_str(&format!("\n\nSee {file}"));
        }
        if node.get("verdict_input").is_some() {
            self.note(line, "`verdict_input` has no counterpart: a person decides, with `canonry workflow approve`");
        }
        let on_reject = text_of(node.get("on_reject")).unwrap_or("abort");
        let given: Vec<String> =
            sequence(node, "options").iter().filter_map(|option| text_of(Some(option)).map(str::to_owned)).collect();
        let given = if given.is_empty() { vec!["approve".to_owned(), "reject".to_owned()] } else { given };
        let options = given.into_iter().map(|option| {
            let rejects = ["reject", "abort"].contains(&option.to_lowercase().as_str());
            let target = match (rejects, on_reject) {
                (true, "retry") => name.clone(),
                (true, "skip") | (false, _) => after.after_choice(&option).to_owned(),
                // Stricter than a value that Spec Kit does not know.
                (true, _) => "abort".to_owned(),
            };
            (option, target)
        });
        let options = options.collect();
        self.add_gate(name, "approval", message, options, before)
    }

    /// A gate that replaces a step that neither canonry nor a worker can do.
    pub fn manual_gate(&mut self, node: &Node, kind: &str, after: &Continuation, before: Option<String>) -> String {
        let (line, name) = (self.line(node), self.name(node));
        self.note(
            line,
            format!("a step of type `{kind}` has no counterpart: the gate `{name}` asks a person to do it"),
        );
        let message = format!("Do the step {name} of type {} of Spec Kit by hand, then continue.", file_name(kind));
        let options =
            vec![("continue".to_owned(), after.after_result(true).to_owned()), ("stop".to_owned(), "abort".to_owned())];
        self.add_gate(name, "interrupt", message, options, before)
    }

    fn add_gate(
        &mut self,
        name: String,
        kind: &'static str,
        mut message: String,
        options: Vec<(String, String)>,
        before: Option<String>,
    ) -> String {
        let before = before.unwrap_or_else(|| self.prepare(&name, &message));
        if !self.flow.steps.iter().any(|step| message.contains(&format!("{{{{{}.", step.name))) {
            message.push_str(&format!("\n\n{{{{{before}.summary}}}}"));
        }
        let trigger = match self.continuing.contains(&before) {
            true => format!("{before}.passed in [true, false]"),
            false => format!("{before}.passed == true"),
        };
        self.flow.gates.push(FlowGate { name, kind, trigger, message, options });
        before
    }

    /// A step before a gate with which the workflow begins.
    fn prepare(&mut self, gate: &str, message: &str) -> String {
        let name = self.free_name(&format!("prepare-{gate}"));
        self.names.insert(format!(":{name}"), name.clone());
        self.note(1, format!("added the step `{name}`: a run begins with a step, and the workflow with a gate"));
        let text = format!(
            "A person is about to decide this:\n\n{message}\n\nWrite as `summary` what they need to know for it. Change nothing.\n"
        );
        let prompt = self.workflow.add_template(&name, text);
        let owner = self.default_owner();
        self.flow.steps.push(FlowStep {
            name: name.clone(),
            owner,
            prompt,
            timeout: SHORT_LIMIT.to_owned(),
            fields: Vec::new(),
            routes: vec![(None, gate.to_owned())],
            on_failure: "abort".to_owned(),
        });
        name
    }
}
