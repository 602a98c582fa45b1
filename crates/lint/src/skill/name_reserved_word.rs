//! Part of `name-invalid`: skill name contains a word that an upload rejects.

use super::name_invalid::RULE;
use super::names::SkillNameField;
use crate::Finding;
use canonry_model::canon::skill::Skill;

/// Words that the Skills API of Anthropic does not accept in names.
const WORDS: [&str; 2] = ["anthropic", "claude"];

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(name) = SkillNameField::from_skill(&RULE, skill) else { return };
    let lower = name.text.to_lowercase();
    let Some(word) = WORDS.iter().find(|word| lower.contains(**word)) else { return };
    let message = format!("claude.ai and the Claude API reject the name `{}`, because it contains `{word}`", name.text);
    findings.push(name.finding(message).help("choose a name without the word if you want to upload the skill"));
}
