//! See `name_reserved_word.md`.

use super::names::Name;
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "name-reserved-word",
    summary: "skill name contains a word that an upload rejects",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("name_reserved_word.md"),
    check: Check::Skill(check),
};

/// Words that the Skills API of Anthropic does not accept in names.
const WORDS: [&str; 2] = ["anthropic", "claude"];

fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(name) = Name::from_skill(skill) else { return };
    let lower = name.text.to_lowercase();
    let Some(word) = WORDS.iter().find(|word| lower.contains(**word)) else { return };
    let message = format!("claude.ai and the Claude API reject the name `{}`, because it contains `{word}`", name.text);
    findings.push(name.finding(message).help("choose a name without the word if you want to upload the skill"));
}
