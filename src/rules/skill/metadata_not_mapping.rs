//! See `metadata_not_mapping.md`.

use super::fields::{self, Field};
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "metadata-not-mapping",
    summary: "`metadata` is not a mapping",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("metadata_not_mapping.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(field) = Field::find(skill, "metadata") else { return };
    if field.breaks(&["type"]) {
        let message = format!("`metadata` is {}, not a mapping", fields::describe(field.value()));
        findings.push(field.at_key(message).help("write one indented `key: value` per line, or remove `metadata`"));
    }
}
