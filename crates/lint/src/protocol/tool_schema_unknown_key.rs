//! Part of `tool-schema-invalid`: misspelled key in a tool schema.

use super::tool_schema_invalid::RULE;
use super::tool_schema_keys::{APPROVAL, ARGUMENTS, LISTS, OPERATIONS, OPTIONAL, records};
use crate::Finding;
use canonry_model::canon::tool_schema::ToolSchema;
use canonry_model::finding::Location;

/// Maximum edit distance of a misspelling. `allowed_targets` is four edits away from `blocked_targets`, its opposite.
const MAX_DISTANCE: usize = 2;

pub(super) fn check(schema: &ToolSchema, findings: &mut Vec<Finding>) {
    let Ok(document) = &schema.document else { return };
    let known: Vec<&str> = LISTS.into_iter().chain([ARGUMENTS, OPTIONAL, APPROVAL, OPERATIONS]).collect();
    for entry in records(document).into_iter().flat_map(|record| &record.entries) {
        let is_near = |key: &&&str| (1..=MAX_DISTANCE).contains(&strsim::damerau_levenshtein(key, &entry.key));
        if known.contains(&entry.key.as_str()) {
            continue;
        }
        if let Some(intended) = known.iter().find(is_near) {
            let message = format!("unknown key `{}`", entry.key);
            let finding = RULE.at(Location::at(&document.source, entry.key_span), message);
            findings.push(finding.help(format!("did you mean `{intended}`?")));
        }
    }
}
