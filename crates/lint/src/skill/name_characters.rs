//! Part of `name-invalid`: skill name contains invalid characters.

use super::name_invalid::RULE;
use super::names::{self, SkillNameField};
use crate::Finding;
use canonry_model::canon::skill::Skill;
use std::collections::BTreeSet;

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(name) = SkillNameField::from_skill(&RULE, skill) else { return };
    let composed = name.composed();
    let invalid: BTreeSet<char> = composed.chars().filter(|c| names::is_invalid(*c)).collect();
    if !invalid.is_empty() {
        let mut list: Vec<String> = invalid.into_iter().map(names::visible).collect();
        // `name_case` reports names with nothing but this.
        if name.has_capitals() {
            list.push("capital letters".to_owned());
        }
        let list = match list.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => list.concat(),
        };
        let message = format!("the name contains {list}; only lower-case letters, digits and hyphens are allowed");
        findings.push(name.finding_with_suggestion(message));
    }
}
