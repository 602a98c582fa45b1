//! See `name_reserved.md`.

use super::names::Name;
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::portable::is_device;

pub(super) static RULE: Rule = Rule {
    id: "name-reserved",
    summary: "a name that a tool or a file system keeps for itself",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("name_reserved.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(name) = Name::from_skill(skill) else { return };
    let whose = match name.text.to_lowercase().as_str() {
        // Claude Code keeps the folder for skills that it fetches itself.
        "synced" => "Claude Code keeps it for skills that it fetches itself",
        lower if is_device(lower.into()) => "on Windows it is a device, and no folder can have it",
        _ => return,
    };
    findings.push(name.finding(format!("the name `{}` is reserved: {whose}", name.text)).help("choose another name"));
}
