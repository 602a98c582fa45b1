//! See `zero_width_character.md`.

use super::hidden_unicode::{HiddenKind, in_agent_text, in_skill};
use crate::canon::agent_text::AgentText;
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "zero-width-character",
    summary: "stray zero-width character",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("zero_width_character.md"),
    check: Check::Each(&[Check::Skill(check), Check::AgentText(check_agent_text)]),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    findings.extend(in_skill(skill, |kind| kind == HiddenKind::Stray));
}

fn check_agent_text(text: &AgentText, findings: &mut RawFindings) {
    findings.extend(in_agent_text(text, |kind| kind == HiddenKind::Stray));
}
