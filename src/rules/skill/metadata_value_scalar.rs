//! See `metadata_value_scalar.md`.

use super::fields::{self, Field};
use crate::canon::skill::Skill;
use crate::finding::{Fix, Location, RawFinding, Severity, TextEdit};
use crate::rules::yaml_edit::{YamlEditor, quoted};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::Span;
use crate::syntax::yaml_node::{MappingEntry, Scalar, ScalarKind};

pub(super) static RULE: Rule = Rule {
    id: "metadata-value-scalar",
    summary: "a number, a boolean or nothing as a value of `metadata`",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("metadata_value_scalar.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(field) = Field::find(skill, "metadata") else { return };
    let Some(mapping) = field.value().as_mapping() else { return };
    for entry in &mapping.entries {
        let Some(scalar) = entry.value.as_scalar().filter(|s| s.kind != ScalarKind::String) else { continue };
        let key = &entry.key;
        let message = format!("`metadata.{key}` is {}; values are strings", fields::describe(&entry.value));
        let help = format!("put it in quotes: `{key}: \"{}\"`", scalar.text);
        let finding = RawFinding::new(Location::at(field.source, entry.key_span), message).help(help);
        findings.push(finding.fix(fix(skill, entry, scalar)));
    }
}

/// The same characters in quotes; where there are none, quotes behind the key's colon.
fn fix(skill: &Skill, entry: &MappingEntry, scalar: &Scalar) -> Option<Fix> {
    let (source, front) = (skill.source()?, skill.front()?);
    let (splice, text) = if entry.value.span.length == 0 {
        let behind = source.text().get(entry.key_span.end()..)?.find(':')? + entry.key_span.end() + 1;
        (TextEdit::new(Span::new(behind, behind), " \"\""), "")
    } else {
        (TextEdit::new(entry.value.span, quoted(&scalar.text)), scalar.text.as_str())
    };
    let pointer = format!("/metadata/{}", entry.key.replace('~', "~0").replace('/', "~1"));
    let splice = YamlEditor::from_frontmatter(source, front)?.set(&pointer, splice, text)?;
    Some(Fix::safe("quote the value", vec![splice]))
}
