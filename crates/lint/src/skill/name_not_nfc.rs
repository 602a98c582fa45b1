//! Part of `name-invalid`: skill name is not in Unicode form NFC.

use super::name_invalid::RULE;
use super::names::SkillNameField;
use crate::Finding;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::Fix;

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(name) = SkillNameField::from_skill(&RULE, skill) else { return };
    let composed = name.composed();
    if composed != name.text {
        let message = "the name is not in Unicode form NFC: letters and accents are separate characters";
        let fix = name.write(&composed).map(|edit| Fix::safe("write the name with composed characters", vec![edit]));
        findings.push(name.finding(message).help(format!("retype it as `name: {composed}`")).fix(fix));
    }
}
