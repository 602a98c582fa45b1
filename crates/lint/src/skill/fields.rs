//! Frontmatter fields: lookup, findings and edits.

use crate::{Finding, Rule};
use canonry_model::canon::schema::Violation;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::yaml_edit::{self, YamlEditor};
use canonry_model::finding::{Location, TextEdit};
use canonry_text::Source;
use canonry_text::node::{MappingEntry, Node, ScalarStyle};
use std::sync::Arc;

/// A top-level key with its value.
pub(super) struct Field<'a> {
    pub source: &'a Arc<Source>,
    pub entry: &'a MappingEntry,
    skill: &'a Skill,
}

impl<'a> Field<'a> {
    /// Looks up a key in the frontmatter.
    pub fn find(skill: &'a Skill, key: &str) -> Option<Self> {
        Some(Self { source: skill.source()?, entry: skill.field(key)?, skill })
    }

    /// The value.
    pub fn value(&self) -> &'a Node {
        &self.entry.value
    }

    /// The value, if it is a string.
    pub fn text(&self) -> Option<&'a str> {
        self.value().as_str()
    }

    /// A finding at the key, for a value that is missing or too long to highlight.
    pub fn at_key(&self, rule: &'static Rule, message: impl Into<String>) -> Finding {
        rule.at(Location::at(self.source, self.entry.key_span), message)
    }

    /// A finding at the value.
    pub fn at_value(&self, rule: &'static Rule, message: impl Into<String>) -> Finding {
        rule.at(Location::at(self.source, self.value().span), message)
    }

    /// An edit that sets the value to the string `text`. Keeps the quotes of the value, and adds quotes if necessary.
    pub fn set(&self, text: &str) -> Option<TextEdit> {
        let written = self.source.slice(self.value().span);
        let as_it_is = match written.chars().next() {
            Some(quote @ ('"' | '\'')) => format!("{quote}{text}{quote}"),
            _ => text.to_owned(),
        };
        self.write(&as_it_is, text).or_else(|| self.write(&yaml_edit::quoted(text), text))
    }

    /// An edit that replaces the value by `raw`, which YAML must read as the string `text`. Block scalars are not edited.
    pub fn write(&self, raw: &str, text: &str) -> Option<TextEdit> {
        let is_line = self.value().as_scalar().is_some_and(|scalar| scalar.style != ScalarStyle::Block);
        let yaml = YamlEditor::from_frontmatter(self.source, self.skill.front()?)?;
        let edit = TextEdit::new(self.value().span, raw);
        if is_line { Some(yaml.set(&format!("/{}", self.entry.key), edit, text)?.edit) } else { None }
    }

    /// Whether the value violates one of the `keywords` of the built-in schema.
    pub fn breaks(&self, keywords: &[&str]) -> bool {
        self.violation(keywords).is_some()
    }

    fn violation(&self, keywords: &[&str]) -> Option<&'a Violation> {
        let pointer = format!("/{}", self.entry.key);
        self.skill.violations().iter().find(|violation| violation.is_built_in(&pointer, keywords))
    }

    /// Whether the value is missing or only white space.
    pub fn is_blank(&self) -> bool {
        self.value().is_null() || self.text().is_some_and(|text| text.trim().is_empty())
    }
}

/// The type of a value, for a message: "empty" or "a list".
pub(super) fn describe(node: &Node) -> String {
    if node.is_null() { "empty".to_owned() } else { format!("a {}", node.kind_name()) }
}

/// A finding for a required key that is missing or empty.
pub(super) fn missing(rule: &'static Rule, skill: &Skill, key: &str) -> Option<Finding> {
    let absent = |v: &&_| is_absence(v, key);
    if let Some(violation) = skill.violations().iter().find(absent) {
        let location = Location::at(skill.source()?, violation.span);
        return Some(rule.at(location, format!("the required key `{key}` is missing")));
    }
    let field = Field::find(skill, key)?;
    let empty = field.is_blank() || field.breaks(&["minLength", "pattern"]);
    empty.then(|| field.at_key(rule, format!("`{key}` is empty")))
}

fn is_absence(violation: &Violation, key: &str) -> bool {
    violation.is_built_in("", &["required"]) && violation.key.as_deref() == Some(key)
}

/// A finding for a string that is longer than the specification allows. The limit comes from the built-in schema.
pub(super) fn too_long(rule: &'static Rule, skill: &Skill, key: &str) -> Option<Finding> {
    let field = Field::find(skill, key)?;
    let limit = field.violation(&["maxLength"])?.limit?;
    let count = field.text()?.chars().count();
    Some(field.at_value(rule, format!("`{key}` has {count} characters; the limit is {limit}")))
}
