//! See `name_case.md`.

use super::names::Name;
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "name-case",
    summary: "skill name contains capital letters",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("name_case.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(name) = Name::from_skill(skill) else { return };
    // `name-characters` reports capital letters next to invalid characters.
    if name.has_capitals() && !name.has_invalid_characters() {
        findings.push(name.finding_with_suggestion(format!("the name `{}` contains capital letters", name.text)));
    }
}
