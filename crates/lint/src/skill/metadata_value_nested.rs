//! Part of `skill-schema`: `metadata` value is a list or a mapping.

use super::fields::{self, Field};
use super::skill_schema::RULE;
use crate::Finding;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::Location;
use canonry_text::node::MappingEntry;

const HELP: &str = "write one string, such as `a, b`, or separate keys such as `author-name`";

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(field) = Field::find(skill, "metadata") else { return };
    let Some(mapping) = field.value().as_mapping() else { return };
    let nested: Vec<&MappingEntry> = mapping.entries.iter().filter(|entry| entry.value.as_scalar().is_none()).collect();
    let finding = match nested.as_slice() {
        [] => return,
        [one] => {
            let message = format!("`metadata.{}` is {}, not a string", one.key, fields::describe(&one.value));
            RULE.at(Location::at(field.source, one.key_span), message)
        }
        several => {
            let keys: Vec<String> = several.iter().map(|entry| format!("`{}`", entry.key)).collect();
            let count = several.len();
            field.at_key(
                &RULE,
                format!("{count} values of `metadata` are lists or mappings, not strings: {}", keys.join(", ")),
            )
        }
    };
    findings.push(finding.help(HELP));
}
