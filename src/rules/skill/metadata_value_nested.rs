//! Part of `skill-schema`: `metadata` value is a list or a mapping.

use super::fields::{self, Field};
use crate::canon::skill::Skill;
use crate::rules::RawFindings;
use crate::syntax::node::MappingEntry;

const HELP: &str = "write one string, such as `a, b`, or separate keys such as `author-name`";

pub(super) fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(field) = Field::find(skill, "metadata") else { return };
    let Some(mapping) = field.value().as_mapping() else { return };
    let nested: Vec<&MappingEntry> = mapping.entries.iter().filter(|entry| entry.value.as_scalar().is_none()).collect();
    let message = match nested.as_slice() {
        [] => return,
        [one] => format!("`metadata.{}` is {}, not a string", one.key, fields::describe(&one.value)),
        several => {
            let keys: Vec<String> = several.iter().map(|entry| format!("`{}`", entry.key)).collect();
            format!("{} values of `metadata` are lists or mappings, not strings: {}", several.len(), keys.join(", "))
        }
    };
    findings.push(field.at_key(message).help(HELP));
}
