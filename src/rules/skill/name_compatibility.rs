//! See `name_compatibility.md`.

use super::names::{self, Name};
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "name-compatibility",
    summary: "skill name contains Unicode compatibility characters",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("name_compatibility.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(name) = Name::from_skill(skill) else { return };
    // Only letters and digits: `name-characters` reports all others.
    let letters: String = name.composed().chars().filter(|c| c.is_alphanumeric()).collect();
    if names::comparable(&letters) != letters {
        let message = "the name contains Unicode compatibility characters, such as full-width letters or ligatures";
        findings.push(name.finding_with_suggestion(message));
    }
}
