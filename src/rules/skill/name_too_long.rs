//! See `name_too_long.md`.

use super::fields;
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "name-too-long",
    summary: "a name of more than 64 characters",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("name_too_long.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let finding = fields::too_long(skill, "name");
    findings.extend(finding.map(|finding| finding.help("shorten it, and the folder's name with it")));
}
