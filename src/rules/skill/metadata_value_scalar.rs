//! See `metadata_value_scalar.md`.

use super::fields::{self, Field};
use crate::canon::skill::Skill;
use crate::finding::{Draft, Place, Severity};
use crate::rules::{Check, Defaults, Drafts, Rule};
use crate::syntax::yaml_node::ScalarKind;

pub(super) static RULE: Rule = Rule {
    id: "metadata-value-scalar",
    summary: "a number, a boolean or nothing as a value of `metadata`",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("metadata_value_scalar.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, drafts: &mut Drafts) {
    let Some(field) = Field::of(skill, "metadata") else { return };
    let Some(mapping) = field.value().as_mapping() else { return };
    for entry in &mapping.entries {
        let Some(scalar) = entry.value.as_scalar().filter(|s| s.kind != ScalarKind::String) else { continue };
        let key = &entry.key;
        let message = format!("`metadata.{key}` is {}; values are strings", fields::what(&entry.value));
        let help = format!("put it in quotes: `{key}: \"{}\"`", scalar.text);
        drafts.push(Draft::new(Place::at(field.source, entry.key_span), message).help(help));
    }
}
