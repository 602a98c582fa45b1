//! See `name_too_long.md`.

use super::fields;
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "name-too-long",
    summary: "skill name is too long",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("name_too_long.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let finding = fields::too_long(skill, "name");
    findings.extend(finding.map(|finding| finding.help("shorten the name and the name of the directory")));
}
