//! Workflows of the canon as an import writes them: a YAML file, and a template for each prompt.

use super::plan::{ImportPlan, PlannedItem};
use canonry_text::node::{Node, ScalarKind};
use canonry_text::path::is_device;
use canonry_text::yaml;
use canonry_text::{RepoPath, Span};
use std::collections::BTreeSet;

/// Longest name of a file, in characters.
const MAX_NAME: usize = 60;

/// A workflow file of another program.
pub(super) struct WorkflowText {
    text: String,
    pub root: Node,
}

impl WorkflowText {
    /// Parses YAML.
    ///
    /// # Errors
    /// Why it cannot be read, with the line.
    pub fn parse(text: String) -> Result<Self, String> {
        let document = yaml::parse_file(&text)
            .map_err(|e| format!("line {}: invalid YAML: {}", line_of(&text, e.span), e.message))?;
        // Other programs take the last value, canonry the first.
        if let Some(duplicate) = document.duplicates.first() {
            return Err(format!("line {}: duplicate key `{}`", line_of(&text, duplicate.span), duplicate.key));
        }
        let root = document.root;
        Ok(Self { text, root })
    }

    /// The line of a span, from 1.
    pub fn line(&self, span: Span) -> usize {
        line_of(&self.text, span)
    }
}

fn line_of(text: &str, span: Span) -> usize {
    let before = text.as_bytes().get(..span.offset).unwrap_or_default();
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}

/// Imports a workflow of `program`; returns the roles of its steps.
pub(super) fn import_workflow(
    plan: &mut ImportPlan<'_>,
    path: &RepoPath,
    program: &str,
    convert: impl FnOnce(&WorkflowText) -> Result<ConvertedWorkflow, String>,
) -> BTreeSet<String> {
    let Some(text) = plan.read(path) else { return BTreeSet::new() };
    let source = match WorkflowText::parse(text) {
        Ok(source) => source,
        Err(error) => {
            plan.skip_unreadable(path, error);
            return BTreeSet::new();
        }
    };
    match convert(&source) {
        Ok(workflow) => {
            let roles = workflow.roles.clone();
            workflow.add_to(plan, path, program);
            roles
        }
        Err(reason) => {
            plan.skip(path, reason, "fix it, then run this again");
            BTreeSet::new()
        }
    }
}

/// A workflow in the form of the canon.
#[derive(Default)]
pub(super) struct ConvertedWorkflow {
    /// The name of the file, without its ending.
    pub name: String,
    pub yaml: String,
    /// The names and texts of its templates.
    pub templates: Vec<(String, String)>,
    /// The roles that run its steps.
    pub roles: BTreeSet<String>,
    /// Differences from the source, with lines.
    pub notes: Notes,
}

impl ConvertedWorkflow {
    /// Adds a template; returns its path as workflows write it.
    pub fn add_template(&mut self, step: &str, text: String) -> String {
        let wanted = format!("{}-{}", self.name, file_name(step));
        let taken: BTreeSet<String> = self.templates.iter().map(|(name, _)| name.to_lowercase()).collect();
        let name = unique(&wanted, |name| taken.contains(&format!("{name}.md").to_lowercase()));
        let file = format!("{name}.md");
        self.templates.push((file.clone(), text));
        format!("templates/{file}")
    }

    /// Adds the workflow and its templates as one item: one without the other does not work.
    pub fn add_to(self, plan: &mut ImportPlan<'_>, from: &RepoPath, format: &str) {
        let layout = plan.source.layout;
        let to = layout.workflows().join(format!("{}.yaml", self.name));
        let texts = std::iter::once((to.clone(), self.yaml))
            .chain(self.templates.into_iter().map(|(name, text)| (layout.templates().join(name), text)));
        let files = texts.filter_map(|(path, text)| plan.text_file(text, path)).collect();
        let mut changes = vec![format!("converted from {format}")];
        changes.extend(self.notes.sentences());
        plan.items.push(PlannedItem { files, changes, ..PlannedItem::new(from.clone(), to) });
    }
}

/// Differences from the source, with lines.
#[derive(Default)]
pub(super) struct Notes(BTreeSet<(usize, String)>);

impl Notes {
    pub fn add(&mut self, line: usize, text: impl Into<String>) {
        self.0.insert((line, text.into()));
    }

    /// By line.
    fn sentences(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(line, text)| format!("line {line}: {text}"))
    }
}

/// A part of a file's name: letters, digits, `-`, `_` and `.`, so that no text of a source leads to another folder.
pub(super) fn file_name(text: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    let name: String = text.trim().chars().take(MAX_NAME).map(safe).collect();
    let name = name.trim_matches(['-', '.']);
    match name {
        "" => "workflow".to_owned(),
        name if is_device(name.into()) => format!("{name}-workflow"),
        name => name.to_owned(),
    }
}

/// The wanted name, with a number if it is taken.
pub(super) fn unique(wanted: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{wanted}-{number}"));
    std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
}

/// A string as YAML, plain if it cannot be mistaken for anything else.
pub(super) fn yaml_text(text: &str) -> String {
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'))
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(&text.to_ascii_lowercase().as_str());
    if is_plain {
        return text.to_owned();
    }
    // A JSON string is a YAML string, except for characters that YAML does not allow unescaped.
    let json = serde_json::Value::from(text).to_string();
    let is_forbidden =
        |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    json.chars().map(|c| if is_forbidden(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() }).collect()
}

/// A scalar with its type: numbers and booleans as they are, everything else as text.
pub(super) fn yaml_scalar(node: &Node) -> Option<String> {
    let scalar = node.as_scalar()?;
    Some(match &scalar.kind {
        ScalarKind::Null => "null".to_owned(),
        ScalarKind::Bool(value) => value.to_string(),
        ScalarKind::Number(number) => number.to_string(),
        ScalarKind::String => yaml_text(&scalar.text),
    })
}

/// The text of a scalar that is not empty.
pub(super) fn text_of(node: Option<&Node>) -> Option<&str> {
    let scalar = node?.as_scalar()?;
    let is_empty = scalar.kind == ScalarKind::Null || scalar.text.trim().is_empty();
    (!is_empty).then_some(scalar.text.as_str())
}

/// Whether the value is `true`.
pub(super) fn is_true(node: Option<&Node>) -> bool {
    node.and_then(Node::as_bool) == Some(true)
}

/// Step for the user about roles that `owners.yaml` does not name. Who executes steps is the user's decision.
pub(super) fn owners_step(plan: &ImportPlan<'_>, roles: &BTreeSet<String>) -> Option<String> {
    let path = plan.source.layout.owners();
    let known = plan.source.canon.get(&path).and_then(|_| plan.source.text(&path).ok());
    let known = known.and_then(|text| WorkflowText::parse(text).ok());
    let is_known = |role: &str| {
        let root = known.as_ref().map(|text| &text.root);
        root.is_some_and(|root| {
            root.get("default").is_some() || root.get("owners").is_some_and(|owners| owners.get(role).is_some())
        })
    };
    let missing: Vec<String> = roles.iter().filter(|role| !is_known(role)).map(|role| yaml_text(role)).collect();
    let first = missing.first()?;
    Some(format!(
        "define who runs the steps of {} in {path}, for example `owners: {{{first}: {{argv: [claude, -p], prompt: stdin}}}}`",
        missing.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_folder() {
        for (text, wanted) in [
            ("plan", "plan"),
            ("../../etc/passwd", "etc-passwd"),
            ("a b/c\\d", "a-b-c-d"),
            ("..", "workflow"),
            ("", "workflow"),
            ("con", "con-workflow"),
            ("übung", "bung"),
        ] {
            assert_eq!(file_name(text), wanted, "{text}");
        }
        assert_eq!(file_name(&"x".repeat(300)).len(), MAX_NAME);
    }

    #[test]
    fn yaml_reads_back_the_same_text() {
        for text in [
            "plan",
            "a b",
            "yes",
            "1.0",
            "",
            "- x",
            "a: b",
            "\u{7f}\u{85}\u{2028}\u{1b}[0m",
            "\"q\" \\ #",
            "{{x}}",
            "ß",
        ] {
            let document = yaml::parse(&format!("k: {}\n", yaml_text(text)), 0).expect(text);
            assert_eq!(document.root.get("k").and_then(Node::as_str), Some(text), "{text:?}");
        }
    }

    #[test]
    fn templates_have_different_names() {
        let mut workflow = ConvertedWorkflow { name: "w".to_owned(), ..ConvertedWorkflow::default() };
        let paths = ["Plan", "plan", "../plan"].map(|step| workflow.add_template(step, String::new()));
        assert_eq!(paths, ["templates/w-Plan.md", "templates/w-plan-2.md", "templates/w-plan-3.md"]);
    }
}
