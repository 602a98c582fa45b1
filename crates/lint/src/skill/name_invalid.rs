//! See `name_invalid.md`.

use super::names::{self, SkillNameField};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Fix, Severity};
use canonry_text::path::is_device;
use std::collections::BTreeSet;

pub(super) static RULE: Rule = Rule {
    id: "name-invalid",
    summary: "skill name is invalid or not portable",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("name_invalid.md"),
    check: Check::Each(&[
        Check::Skill(check_case),
        Check::Skill(check_characters),
        Check::Skill(check_hyphens),
        Check::Skill(check_compatibility),
        Check::At(Defaults::both(Severity::Warning), &Check::Skill(check_ascii)),
        Check::At(Defaults::both(Severity::Warning), &Check::Skill(check_composition)),
        Check::At(Defaults::both(Severity::Warning), &Check::Skill(check_reserved)),
        Check::At(Defaults::both(Severity::Info), &Check::Skill(check_words)),
    ]),
};

/// Words that the Skills API of Anthropic does not accept in names.
const WORDS: [&str; 2] = ["anthropic", "claude"];

/// Skill name contains capital letters.
fn check_case(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(name) = SkillNameField::from_skill(&RULE, skill) else { return };
    // `check_characters` reports capital letters next to invalid characters.
    if name.has_capitals() && !name.has_invalid_characters() {
        findings.push(name.finding_with_suggestion(format!("the name `{}` contains capital letters", name.text)));
    }
}

/// Skill name contains invalid characters.
fn check_characters(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(name) = SkillNameField::from_skill(&RULE, skill) else { return };
    let composed = name.composed();
    let invalid: BTreeSet<char> = composed.chars().filter(|c| names::is_invalid(*c)).collect();
    if !invalid.is_empty() {
        let mut list: Vec<String> = invalid.into_iter().map(names::visible).collect();
        // `check_case` reports names with nothing but this.
        if name.has_capitals() {
            list.push("capital letters".to_owned());
        }
        let list = match list.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => list.concat(),
        };
        let message = format!("the name contains {list}; only lower-case letters, digits and hyphens are allowed");
        findings.push(name.finding_with_suggestion(message));
    }
}

/// Misplaced hyphen in the skill name.
fn check_hyphens(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(name) = SkillNameField::from_skill(&RULE, skill) else { return };
    let found = names::hyphen_problems(name.text);
    // The rules on characters and case report a name with several faults once.
    if !found.is_empty() && !name.has_invalid_characters() && !name.has_capitals() {
        findings.push(name.finding_with_suggestion(format!("the name {}", found.join(" and "))));
    }
}

/// Skill name contains Unicode compatibility characters.
fn check_compatibility(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(name) = SkillNameField::from_skill(&RULE, skill) else { return };
    // Only letters and digits: `check_characters` reports all others.
    let letters: String = name.composed().chars().filter(|c| c.is_alphanumeric()).collect();
    if names::comparable(&letters) != letters {
        let message = "the name contains Unicode compatibility characters, such as full-width letters or ligatures";
        findings.push(name.finding_with_suggestion(message));
    }
}

/// Skill name contains non-ASCII characters.
fn check_ascii(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(name) = SkillNameField::from_skill(&RULE, skill) else { return };
    // Full-width letters become ASCII here, and `check_characters` reports characters that are not letters.
    let is_foreign = |c: char| !c.is_ascii() && c.is_alphanumeric();
    if names::comparable(name.text).chars().any(is_foreign) {
        let message =
            format!("the name `{}` contains non-ASCII characters, which are valid but not portable", name.text);
        findings.push(name.finding(message).help("use only the letters a to z, digits and hyphens if possible"));
    }
}

/// Skill name is not in Unicode form NFC.
fn check_composition(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(name) = SkillNameField::from_skill(&RULE, skill) else { return };
    let composed = name.composed();
    if composed != name.text {
        let message = "the name is not in Unicode form NFC: letters and accents are separate characters";
        let fix = name.write(&composed).map(|edit| Fix::safe("write the name with composed characters", vec![edit]));
        findings.push(name.finding(message).help(format!("retype it as `name: {composed}`")).fix(fix));
    }
}

/// Skill name is reserved.
fn check_reserved(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(name) = SkillNameField::from_skill(&RULE, skill) else { return };
    let reason = match name.text.to_lowercase().as_str() {
        "synced" => "Claude Code uses it for skills that it downloads",
        lower if is_device(lower.into()) => "it is a device on Windows, so a directory cannot have this name",
        _ => return,
    };
    findings.push(name.finding(format!("the name `{}` is reserved: {reason}", name.text)).help("choose another name"));
}

/// Skill name contains a word that an upload rejects.
fn check_words(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(name) = SkillNameField::from_skill(&RULE, skill) else { return };
    let lower = name.text.to_lowercase();
    let Some(word) = WORDS.iter().find(|word| lower.contains(**word)) else { return };
    let message = format!("claude.ai and the Claude API reject the name `{}`, because it contains `{word}`", name.text);
    findings.push(name.finding(message).help("choose a name without the word if you want to upload the skill"));
}
