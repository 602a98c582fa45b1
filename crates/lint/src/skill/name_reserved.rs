//! Part of `name-invalid`: skill name is reserved.

use super::name_invalid::RULE;
use super::names::SkillNameField;
use crate::Finding;
use canonry_model::canon::skill::Skill;
use canonry_text::path::is_device;

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(name) = SkillNameField::from_skill(&RULE, skill) else { return };
    let reason = match name.text.to_lowercase().as_str() {
        "synced" => "Claude Code uses it for skills that it downloads",
        lower if is_device(lower.into()) => "it is a device on Windows, so a directory cannot have this name",
        _ => return,
    };
    findings.push(name.finding(format!("the name `{}` is reserved: {reason}", name.text)).help("choose another name"));
}
