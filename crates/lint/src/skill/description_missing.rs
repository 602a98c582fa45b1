//! Part of `skill-schema`: description is missing or empty.

use super::fields;
use super::skill_schema::RULE;
use crate::Finding;
use canonry_model::canon::skill::Skill;

const HELP: &str = "describe in one or two sentences what the skill does and when to use it";

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    findings.extend(fields::missing(&RULE, skill, "description").map(|finding| finding.help(HELP)));
}
