//! See `name_characters.md`.

use super::names::{self, Name};
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};
use std::collections::BTreeSet;

pub(super) static RULE: Rule = Rule {
    id: "name-characters",
    summary: "a name with characters other than letters, digits and hyphens",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("name_characters.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(name) = Name::from_skill(skill) else { return };
    let composed = name.composed();
    // Capital letters are letters: they have a rule of their own.
    let wrong: BTreeSet<char> = composed.chars().filter(|c| !c.is_alphanumeric() && *c != '-').collect();
    if !wrong.is_empty() {
        let list: Vec<String> = wrong.into_iter().map(names::visible).collect();
        let message = format!("the name holds {}; only letters, digits and hyphens may stand in it", list.join(", "));
        findings.push(name.finding_with_suggestion(message));
    }
}
