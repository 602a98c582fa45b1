//! See `description_not_string.md`.

use super::fields;
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "description-not-string",
    summary: "a `description` that YAML does not read as a string",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("description_not_string.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, drafts: &mut RawFindings) {
    drafts.extend(fields::not_string(skill, "description"));
}
