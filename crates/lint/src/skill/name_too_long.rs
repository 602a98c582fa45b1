//! Part of `skill-schema`: skill name is too long.

use super::fields;
use super::skill_schema::RULE;
use crate::Finding;
use canonry_model::canon::skill::Skill;

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let finding = fields::too_long(&RULE, skill, "name");
    findings.extend(finding.map(|finding| finding.help("shorten the name and the name of the directory")));
}
