//! What the rules on fields share: finding a field, and saying the usual things of it.

use crate::canon::schema::Violation;
use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, TextEdit};
use crate::rules::fixes::{self, Yaml};
use crate::syntax::Source;
use crate::syntax::yaml_node::{MappingEntry, Node, ScalarStyle};
use std::sync::Arc;

/// A top-level key with its value.
pub(super) struct Field<'a> {
    pub source: &'a Arc<Source>,
    pub entry: &'a MappingEntry,
    skill: &'a Skill,
}

impl<'a> Field<'a> {
    /// The field of a key, where the frontmatter has it.
    pub fn of(skill: &'a Skill, key: &str) -> Option<Self> {
        Some(Self { source: skill.source()?, entry: skill.field(key)?, skill })
    }

    /// The value.
    pub fn value(&self) -> &'a Node {
        &self.entry.value
    }

    /// The value, where it is a string.
    pub fn text(&self) -> Option<&'a str> {
        self.value().as_str()
    }

    /// Something to say of the key; for a value that is not there, or that is too large to point at.
    pub fn at_key(&self, message: impl Into<String>) -> RawFinding {
        RawFinding::new(Location::at(self.source, self.entry.key_span), message)
    }

    /// Something to say of the value.
    pub fn at_value(&self, message: impl Into<String>) -> RawFinding {
        RawFinding::new(Location::at(self.source, self.value().span), message)
    }

    /// The change that makes the value the string `text`, written as the value is; in quotes where it must be.
    pub fn set(&self, text: &str) -> Option<TextEdit> {
        let written = self.source.slice(self.value().span);
        let as_it_is = match written.chars().next() {
            Some(quote @ ('"' | '\'')) => format!("{quote}{text}{quote}"),
            _ => text.to_owned(),
        };
        self.write(&as_it_is, text).or_else(|| self.write(&fixes::quoted(text), text))
    }

    /// The change that puts `raw` in the place of the value, which then is the string `text`. A block keeps its form.
    pub fn write(&self, raw: &str, text: &str) -> Option<TextEdit> {
        let is_line = self.value().as_scalar().is_some_and(|scalar| scalar.style != ScalarStyle::Block);
        let yaml = Yaml::of_front(self.source, self.skill.front()?)?;
        let splice = TextEdit::new(self.value().span, raw);
        is_line.then(|| yaml.set(&format!("/{}", self.entry.key), splice, text)).flatten()
    }

    /// Whether the built-in schema finds one of `keywords` broken here.
    pub fn breaks(&self, keywords: &[&str]) -> bool {
        let pointer = format!("/{}", self.entry.key);
        self.skill.violations().iter().any(|v| v.is_built_in(&pointer, keywords))
    }

    /// Whether nothing stands behind the key, or white space alone.
    pub fn is_blank(&self) -> bool {
        self.value().is_null() || self.text().is_some_and(|text| text.trim().is_empty())
    }
}

/// What a value is, to be read behind "is".
pub(super) fn what(node: &Node) -> String {
    if node.is_null() { "empty".to_owned() } else { format!("a {}", node.kind_name()) }
}

/// A required key that is absent, or has nothing in it.
pub(super) fn missing(skill: &Skill, key: &str) -> Option<RawFinding> {
    let absent = |v: &&_| is_absence(v, key);
    if let Some(violation) = skill.violations().iter().find(absent) {
        let place = Location::at(skill.source()?, violation.span);
        return Some(RawFinding::new(place, format!("the required key `{key}` is missing")));
    }
    let field = Field::of(skill, key)?;
    let empty = field.is_blank() || field.breaks(&["minLength", "pattern"]);
    empty.then(|| field.at_key(format!("`{key}` is empty")))
}

fn is_absence(violation: &Violation, key: &str) -> bool {
    violation.is_built_in("", &["required"]) && violation.key.as_deref() == Some(key)
}

/// A value that should be a string and is something else; an empty one is for another rule to report.
pub(super) fn not_string(skill: &Skill, key: &str) -> Option<RawFinding> {
    let field = Field::of(skill, key)?;
    let wrong = field.breaks(&["type"]) && !field.value().is_null();
    wrong.then(|| {
        let draft = field.at_value(format!("`{key}` is {}, not a string", what(field.value())));
        match field.value().as_scalar() {
            Some(scalar) => draft.help(format!("put it in quotes: `{key}: \"{}\"`", scalar.text)),
            None => draft.help("write one string"),
        }
    })
}

/// A string with more characters than the specification allows.
pub(super) fn too_long(skill: &Skill, key: &str, limit: usize) -> Option<RawFinding> {
    let field = Field::of(skill, key)?;
    let text = field.text().filter(|_| field.breaks(&["maxLength"]))?;
    let count = text.chars().count();
    Some(field.at_value(format!("`{key}` has {count} characters; {limit} is the limit")))
}
