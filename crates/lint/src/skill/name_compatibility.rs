//! Part of `name-invalid`: skill name contains Unicode compatibility characters.

use super::name_invalid::RULE;
use super::names::{self, SkillNameField};
use crate::Finding;
use canonry_model::canon::skill::Skill;

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(name) = SkillNameField::from_skill(&RULE, skill) else { return };
    // Only letters and digits: `name_characters` reports all others.
    let letters: String = name.composed().chars().filter(|c| c.is_alphanumeric()).collect();
    if names::comparable(&letters) != letters {
        let message = "the name contains Unicode compatibility characters, such as full-width letters or ligatures";
        findings.push(name.finding_with_suggestion(message));
    }
}
