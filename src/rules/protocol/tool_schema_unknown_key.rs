//! See `tool_schema_unknown_key.md`.

use super::shared::{APPROVAL, ARGUMENTS, LISTS, OPERATIONS, records};
use crate::canon::tool_schema::ToolSchema;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "tool-schema-unknown-key",
    summary: "a key of a tool's schema that is one of the known ones, misspelt",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("tool_schema_unknown_key.md"),
    check: Check::ToolSchema(check),
};

/// Letters that a slip changes; `allowed_targets` is four away from `blocked_targets` and means the opposite.
const SLIP: usize = 2;

fn check(schema: &ToolSchema, drafts: &mut RawFindings) {
    let Ok(document) = &schema.document else { return };
    let known: Vec<&str> = LISTS.into_iter().chain([ARGUMENTS, APPROVAL, OPERATIONS]).collect();
    for entry in records(document).into_iter().flat_map(|record| &record.entries) {
        let near = |key: &&&str| (1..=SLIP).contains(&strsim::damerau_levenshtein(key, &entry.key));
        if known.contains(&entry.key.as_str()) {
            continue;
        }
        if let Some(meant) = known.iter().find(near) {
            let message = format!("nothing reads `{}`", entry.key);
            let draft = RawFinding::new(Location::at(&document.source, entry.key_span), message);
            drafts.push(draft.help(format!("did you mean `{meant}`?")));
        }
    }
}
