//! Part of `skill-schema`: `metadata` value is not a string.

use super::fields::{self, Field};
use super::skill_schema::RULE;
use crate::Finding;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::yaml_edit::{YamlEditor, quoted};
use canonry_model::finding::{Fix, Location, TextEdit};
use canonry_text::Span;
use canonry_text::node::{MappingEntry, Scalar, ScalarKind};

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(field) = Field::find(skill, "metadata") else { return };
    let Some(mapping) = field.value().as_mapping() else { return };
    for entry in &mapping.entries {
        let Some(scalar) = entry.value.as_scalar().filter(|s| s.kind != ScalarKind::String) else { continue };
        let key = &entry.key;
        let message = format!("`metadata.{key}` is {}, not a string", fields::describe(&entry.value));
        let help = match scalar.kind {
            ScalarKind::Null => "add a value, or remove the key".to_owned(),
            _ => format!("quote it: `{key}: \"{}\"`", scalar.text),
        };
        let finding = RULE.at(Location::at(field.source, entry.key_span), message).help(help);
        findings.push(finding.fix(fix(skill, entry, scalar)));
    }
}

/// Quotes the value. An empty value becomes an empty string after the colon.
fn fix(skill: &Skill, entry: &MappingEntry, scalar: &Scalar) -> Option<Fix> {
    let source = skill.source()?;
    let front = skill.front()?;
    let (edit, text) = if entry.value.span.length == 0 {
        let after = source.text().get(entry.key_span.end()..)?.find(':')? + entry.key_span.end() + 1;
        (TextEdit::new(Span::new(after, after), " \"\""), "")
    } else {
        (TextEdit::new(entry.value.span, quoted(&scalar.text)), scalar.text.as_str())
    };
    let pointer = format!("/metadata/{}", entry.key.replace('~', "~0").replace('/', "~1"));
    let edit = YamlEditor::from_frontmatter(source, front)?.set(&pointer, edit, text)?.edit;
    Some(Fix::safe("quote the value", vec![edit]))
}
