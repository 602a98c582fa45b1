//! See `name_hyphens.md`.

use super::names::Name;
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
    let problems = [
        (name.text.starts_with('-'), "starts with a hyphen"),
        (name.text.ends_with('-'), "ends with a hyphen"),
        (name.text.contains("--"), "has two hyphens in a row"),
    ];
    let found: Vec<&str> = problems.into_iter().filter(|(is_true, _)| *is_true).map(|(_, words)| words).collect();
    if !found.is_empty() {
        findings.push(name.finding_with_suggestion(format!("the name {}", found.join(" and "))));
    }
}
