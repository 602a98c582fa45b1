//! Part of `name-invalid`: skill name contains capital letters.

use super::name_invalid::RULE;
use super::names::SkillNameField;
use crate::Finding;
use canonry_model::canon::skill::Skill;

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(name) = SkillNameField::from_skill(&RULE, skill) else { return };
    // `name_characters` reports capital letters next to invalid characters.
    if name.has_capitals() && !name.has_invalid_characters() {
        findings.push(name.finding_with_suggestion(format!("the name `{}` contains capital letters", name.text)));
    }
}
