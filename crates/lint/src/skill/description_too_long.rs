//! Part of `skill-schema`: description is too long.

use super::fields;
use super::skill_schema::RULE;
use crate::Finding;
use canonry_model::canon::skill::Skill;

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let help = "keep what the skill does and when to use it, and move the rest to the body";
    findings.extend(fields::too_long(&RULE, skill, "description").map(|finding| finding.help(help)));
}
