//! See `name_hyphens.md`.

use super::names::{self, Name};
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "name-hyphens",
    summary: "misplaced hyphen in the skill name",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("name_hyphens.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(name) = Name::from_skill(skill) else { return };
    let found = names::hyphen_problems(name.text);
    // The rules on characters and case report a name with several faults once.
    if !found.is_empty() && !name.has_invalid_characters() && !name.has_capitals() {
        findings.push(name.finding_with_suggestion(format!("the name {}", found.join(" and "))));
    }
}
