//! Part of `skill-schema`: skill name is too long.

use super::fields;
use crate::RawFindings;
use canonry_model::canon::skill::Skill;

pub(super) fn check(skill: &Skill, findings: &mut RawFindings) {
    let finding = fields::too_long(skill, "name");
    findings.extend(finding.map(|finding| finding.help("shorten the name and the name of the directory")));
}
