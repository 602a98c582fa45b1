//! See `metadata_value_nested.md`.

use super::fields::{self, Field};
use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "metadata-value-nested",
    summary: "`metadata` value is a list or a mapping",
    severity: Defaults { team: Severity::Warning, spec: Severity::Error },
    docs: include_str!("metadata_value_nested.md"),
    check: Check::Skill(check),
};

const HELP: &str = "write one string, such as `a, b`, or separate keys such as `author-name`";

fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(field) = Field::find(skill, "metadata") else { return };
    let Some(mapping) = field.value().as_mapping() else { return };
    for entry in mapping.entries.iter().filter(|entry| entry.value.as_scalar().is_none()) {
        let message = format!("`metadata.{}` is {}, not a string", entry.key, fields::describe(&entry.value));
        findings.push(RawFinding::new(Location::at(field.source, entry.key_span), message).help(HELP));
    }
}
