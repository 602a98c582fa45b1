//! See `description_too_long.md`.

use super::fields;
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "description-too-long",
    summary: "a description of more than 1,024 characters",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("description_too_long.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let help = "keep what the skill does and when to use it; the rest belongs in the body";
    findings.extend(fields::too_long(skill, "description").map(|finding| finding.help(help)));
}
