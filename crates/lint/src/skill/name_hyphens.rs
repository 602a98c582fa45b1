//! Part of `name-invalid`: misplaced hyphen in the skill name.

use super::name_invalid::RULE;
use super::names::{self, SkillNameField};
use crate::Finding;
use canonry_model::canon::skill::Skill;

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(name) = SkillNameField::from_skill(&RULE, skill) else { return };
    let found = names::hyphen_problems(name.text);
    // The rules on characters and case report a name with several faults once.
    if !found.is_empty() && !name.has_invalid_characters() && !name.has_capitals() {
        findings.push(name.finding_with_suggestion(format!("the name {}", found.join(" and "))));
    }
}
