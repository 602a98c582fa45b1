//! See `tool_schema_invalid.md`.

use super::shared::{APPROVAL, ARGUMENTS, LISTS, OPERATIONS, records};
use crate::canon::tool_schema::{ToolDocument, ToolSchema};
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule, missing};
use crate::syntax::Span;
use crate::syntax::yaml_node::{MappingEntry, Node, ScalarKind};

pub(super) static RULE: Rule = Rule {
    id: "tool-schema-invalid",
    summary: "a tool's schema that is no JSON, no valid JSON Schema, or has a guard of the wrong form",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("tool_schema_invalid.md"),
    check: Check::ToolSchema(check),
};

const SCHEMA_HELP: &str = "mend the JSON Schema, or take `$schema` out where the file is a plain record";
const RECORD_HELP: &str = "give the key that form: a guard that cannot read it lets everything through, or nothing";

fn check(schema: &ToolSchema, drafts: &mut RawFindings) {
    let document = match &schema.document {
        Ok(document) => document,
        Err(why) => return drafts.push(missing::draft(&schema.path, "schema", why)),
    };
    let at = |span: Span, message: String| RawFinding::new(Location::at(&document.source, span), message);
    let json = match &document.json {
        Ok(json) => json,
        Err(error) => return drafts.push(at(error.span, format!("not valid JSON: {}", error.message))),
    };
    drafts.extend(json.duplicates.iter().map(|twice| {
        at(twice.span, format!("the key `{}` stands twice", twice.key))
            .related(
                Location::at(&document.source, twice.first),
                "it stands here first, and most readers overlook this one",
            )
            .help("keep one of the two")
    }));
    drafts.extend(document.flaw.iter().map(|(span, message)| at(*span, message.clone()).help(SCHEMA_HELP)));
    drafts.extend(record_flaws(document).into_iter().map(|(span, message)| at(span, message).help(RECORD_HELP)));
}

fn record_flaws(document: &ToolDocument) -> Vec<(Span, String)> {
    let Some(root) = document.record() else { return Vec::new() };
    if root.as_mapping().is_none() {
        return vec![(root.span, format!("a tool's schema is an object; this is a {}", root.kind_name()))];
    }
    records(document).into_iter().flat_map(|record| &record.entries).filter_map(entry_flaw).collect()
}

fn entry_flaw(entry: &MappingEntry) -> Option<(Span, String)> {
    let (key, value) = (entry.key.as_str(), &entry.value);
    let wanted = match key {
        APPROVAL if !is_boolean(value) => "`true` or `false`",
        OPERATIONS if value.as_mapping().is_none() => "an object with one record for each operation",
        ARGUMENTS if !is_list_of_text(value) && value.as_mapping().is_none() => {
            "a list of names, or an object with one schema for each"
        }
        key if LISTS.contains(&key) && !is_list_of_text(value) => "a list of texts",
        _ => return None,
    };
    Some((value.span, format!("`{key}` must be {wanted}, and is a {}", value.kind_name())))
}

fn is_boolean(node: &Node) -> bool {
    node.as_scalar().is_some_and(|scalar| matches!(scalar.kind, ScalarKind::Bool(_)))
}

fn is_list_of_text(node: &Node) -> bool {
    node.as_sequence().is_some_and(|items| items.iter().all(|item| item.as_str().is_some()))
}
