//! Part of `skill-schema`: `metadata` in flow style (braces).

use super::fields::Field;
use super::skill_schema::RULE;
use crate::Finding;
use canonry_model::canon::skill::Skill;
use canonry_text::node::Mapping;

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(field) = Field::find(skill, "metadata") else { return };
    // An empty mapping can only be written in braces.
    // `metadata_value_nested` reports nested values.
    let is_flat = |mapping: &Mapping| mapping.entries.iter().all(|entry| entry.value.as_scalar().is_some());
    let is_flow = |mapping: &Mapping| mapping.flow && !mapping.entries.is_empty() && is_flat(mapping);
    if field.value().as_mapping().is_some_and(is_flow) {
        let message = "`metadata` is written in braces, which strict parsers reject";
        findings.push(field.at_key(&RULE, message).help("write one indented `key: value` per line"));
    }
}
