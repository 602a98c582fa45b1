//! Part of `skill-schema`: `compatibility` is empty or too long.

use super::fields::{self, Field};
use super::skill_schema::RULE;
use crate::Finding;
use canonry_model::canon::skill::Skill;

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    findings.extend(fields::too_long(&RULE, skill, "compatibility").map(|finding| finding.help("shorten it")));
    let Some(field) = Field::find(skill, "compatibility") else { return };
    if field.value().is_null() || field.breaks(&["minLength"]) {
        findings.push(
            field.at_key(&RULE, "`compatibility` is empty").help("describe what the skill needs, or remove the key"),
        );
    }
}
