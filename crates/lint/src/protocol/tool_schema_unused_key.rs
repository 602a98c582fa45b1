//! Part of `tool-schema-invalid`: key without effect in a tool schema.

use super::tool_schema_invalid::RULE;
use super::tool_schema_keys::{APPROVAL, ARGUMENTS, LISTS, OPERATIONS, OPTIONAL, records};
use crate::Finding;
use canonry_model::canon::tool_schema::{ARGUMENT_KEYS, ToolSchema};
use canonry_model::finding::Location;
use canonry_text::node::{Mapping, MappingEntry, Node};

/// Keys that name the tool, or that are shown with an approval.
const NAMES: [&str; 5] = ["tool", "name", "command", "mcp", "warning"];
/// Keys for people.
const NOTES: [&str; 8] = ["description", "title", "$comment", "owner", "version", "note", "notes", "allowed_targets"];

pub(super) fn check(schema: &ToolSchema, findings: &mut Vec<Finding>) {
    let Ok(document) = &schema.document else { return };
    let guards: Vec<&str> = LISTS.into_iter().chain([ARGUMENTS, OPTIONAL, APPROVAL, OPERATIONS]).collect();
    let mut report = |entry: &MappingEntry, help: String| {
        let message = format!("the key `{}` has no effect", entry.key);
        findings.push(RULE.at(Location::at(&document.source, entry.key_span), message).help(help));
    };
    for record in records(document) {
        for entry in &record.entries {
            let key = entry.key.as_str();
            let is_used = guards.contains(&key) || NAMES.contains(&key) || NOTES.contains(&key);
            // `tool-schema-invalid` reports it.
            let is_misspelled = guards.iter().any(|known| strsim::damerau_levenshtein(known, key) <= 2);
            if !is_used && !is_misspelled {
                report(
                    entry,
                    format!("the hook knows {}; remove the key, or say it in `description`", guards.join(", ")),
                );
            }
        }
        for spec in arguments(record) {
            for entry in spec.entries.iter().filter(|entry| !ARGUMENT_KEYS.iter().any(|(key, _)| *key == entry.key)) {
                let keys: Vec<&str> =
                    ARGUMENT_KEYS.iter().filter(|(_, own)| own.is_some()).map(|(key, _)| *key).collect();
                report(entry, format!("the hook checks {}", keys.join(", ")));
            }
        }
    }
}

/// The schemas of the arguments of a record.
fn arguments(record: &Mapping) -> impl Iterator<Item = &Mapping> {
    let lists = [ARGUMENTS, OPTIONAL].into_iter().filter_map(|key| record.get(key)?.value.as_mapping());
    lists.flat_map(|list| &list.entries).map(|entry| &entry.value).filter_map(Node::as_mapping)
}
