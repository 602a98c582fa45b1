//! See `zero_width_character.md`.

use super::hidden_unicode::{HiddenKind, in_skill};
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "zero-width-character",
    summary: "stray zero-width character",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("zero_width_character.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    findings.extend(in_skill(skill, |kind| kind == HiddenKind::Stray));
}
