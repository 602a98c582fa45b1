//! See `metadata_flow_style.md`.

use super::fields::Field;
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "metadata-flow-style",
    summary: "`metadata` in flow style (braces)",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("metadata_flow_style.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(field) = Field::find(skill, "metadata") else { return };
    // An empty mapping can only be written in braces.
    if field.value().as_mapping().is_some_and(|mapping| mapping.flow && !mapping.entries.is_empty()) {
        let message = "`metadata` is written in braces, which strict parsers reject";
        findings.push(field.at_key(message).help("write one indented `key: value` per line"));
    }
}
