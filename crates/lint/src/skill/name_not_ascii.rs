//! Part of `name-invalid`: skill name contains non-ASCII characters.

use super::name_invalid::RULE;
use super::names::{self, SkillNameField};
use crate::Finding;
use canonry_model::canon::skill::Skill;

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(name) = SkillNameField::from_skill(&RULE, skill) else { return };
    // Full-width letters become ASCII here, and `name_characters` reports characters that are not letters.
    let is_foreign = |c: char| !c.is_ascii() && c.is_alphanumeric();
    if names::comparable(name.text).chars().any(is_foreign) {
        let message =
            format!("the name `{}` contains non-ASCII characters, which are valid but not portable", name.text);
        findings.push(name.finding(message).help("use only the letters a to z, digits and hyphens if possible"));
    }
}
