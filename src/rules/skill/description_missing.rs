//! See `description_missing.md`.

use super::fields;
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "description-missing",
    summary: "description is missing or empty",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("description_missing.md"),
    check: Check::Skill(check),
};

const HELP: &str = "describe in one or two sentences what the skill does and when to use it";

fn check(skill: &Skill, findings: &mut RawFindings) {
    findings.extend(fields::missing(skill, "description").map(|finding| finding.help(HELP)));
}
