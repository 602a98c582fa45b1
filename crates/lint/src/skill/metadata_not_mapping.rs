//! Part of `skill-schema`: `metadata` is not a mapping.

use super::fields::{self, Field};
use super::skill_schema::RULE;
use crate::Finding;
use canonry_model::canon::skill::Skill;

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(field) = Field::find(skill, "metadata") else { return };
    if field.breaks(&["type"]) {
        let message = format!("`metadata` is {}, not a mapping", fields::describe(field.value()));
        findings
            .push(field.at_key(&RULE, message).help("write one indented `key: value` per line, or remove `metadata`"));
    }
}
