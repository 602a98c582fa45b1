//! See `license_not_string.md`.

use super::fields;
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "license-not-string",
    summary: "a `license` that is a list or a mapping",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("license_not_string.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, drafts: &mut RawFindings) {
    let help = "write one string: the licence's name, or the file that holds it";
    drafts.extend(fields::not_string(skill, "license").map(|draft| draft.help(help)));
}
