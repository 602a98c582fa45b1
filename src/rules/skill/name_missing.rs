//! See `name_missing.md`.

use super::fields;
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "name-missing",
    summary: "skill name is missing or empty",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("name_missing.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let help = match skill.directory_name() {
        Some(directory) => format!("write `name: {directory}`, the name of the directory"),
        None => "give the skill the name of its directory".to_owned(),
    };
    findings.extend(fields::missing(skill, "name").map(|finding| finding.help(help)));
}
