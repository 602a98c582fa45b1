//! Part of `name-invalid`: skill name contains capital letters.

use super::names::SkillNameField;
use crate::RawFindings;
use canonry_model::canon::skill::Skill;

pub(super) fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(name) = SkillNameField::from_skill(skill) else { return };
    // `name_characters` reports capital letters next to invalid characters.
    if name.has_capitals() && !name.has_invalid_characters() {
        findings.push(name.finding_with_suggestion(format!("the name `{}` contains capital letters", name.text)));
    }
}
