//! See `description_too_long.md`.

use super::fields;
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "description-too-long",
    summary: "description is too long",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("description_too_long.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let help = "keep what the skill does and when to use it, and move the rest to the body";
    findings.extend(fields::too_long(skill, "description").map(|finding| finding.help(help)));
}
