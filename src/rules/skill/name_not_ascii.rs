//! See `name_not_ascii.md`.

use super::names::{self, Name};
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "name-not-ascii",
    summary: "a name with letters or digits outside ASCII",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("name_not_ascii.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(name) = Name::from_skill(skill) else { return };
    // Full-width letters become ASCII here, and what is no letter at all is no question of portability.
    let foreign = |c: char| !c.is_ascii() && c.is_alphanumeric();
    if names::comparable(name.text).chars().any(foreign) {
        let message = format!("the name `{}` is valid, but not portable: it is not plain ASCII", name.text);
        findings.push(name.finding(message).help("use the letters a to z, digits and hyphens where you can"));
    }
}
