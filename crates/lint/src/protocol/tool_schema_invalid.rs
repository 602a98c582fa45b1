//! See `tool_schema_invalid.md`.

use super::tool_schema_keys::{APPROVAL, ARGUMENTS, LISTS, OPERATIONS, OPTIONAL, records};
use super::{tool_schema_unknown_key, tool_schema_unused_key};
use crate::{Check, Defaults, Finding, Rule, unreadable};
use canonry_model::canon::schema::compile;
use canonry_model::canon::tool_schema::{ToolDocument, ToolSchema, argument_schema};
use canonry_model::finding::{Location, Severity};
use canonry_text::Span;
use canonry_text::node::{MappingEntry, Node, ScalarKind};

pub(super) static RULE: Rule = Rule {
    id: "tool-schema-invalid",
    summary: "tool schema is not valid JSON or JSON Schema, or has a malformed guard",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("tool_schema_invalid.md"),
    check: Check::Each(&[
        Check::ToolSchema(check),
        Check::At(Defaults::both(Severity::Warning), &Check::ToolSchema(tool_schema_unknown_key::check)),
        Check::At(Defaults::both(Severity::Info), &Check::ToolSchema(tool_schema_unused_key::check)),
    ]),
};

const SCHEMA_HELP: &str = "correct the JSON Schema, or remove `$schema` if the file is a plain record";
const JSON_HELP: &str = "correct the syntax at this position";
const RECORD_HELP: &str = "correct the value; a guard that cannot read it allows everything or nothing";

fn check(schema: &ToolSchema, findings: &mut Vec<Finding>) {
    let document = match &schema.document {
        Ok(document) => document,
        Err(why) => return findings.push(unreadable::finding(&RULE, &schema.path, "schema", why)),
    };
    let at = |span: Span, message: String| RULE.at(Location::at(&document.source, span), message);
    let json = match &document.json {
        Ok(json) => json,
        Err(error) => return findings.push(at(error.span, format!("invalid JSON: {}", error.message)).help(JSON_HELP)),
    };
    findings.extend(json.duplicates.iter().map(|duplicate| {
        at(duplicate.span, format!("duplicate key `{}`", duplicate.key))
            .related(
                Location::at(&document.source, duplicate.first),
                "first defined here; most parsers ignore this value",
            )
            .help("keep one of the two")
    }));
    findings.extend(document.flaw.iter().map(|(span, message)| at(*span, message.clone()).help(SCHEMA_HELP)));
    findings.extend(record_flaws(document).into_iter().map(|(span, message)| at(span, message).help(RECORD_HELP)));
}

fn record_flaws(document: &ToolDocument) -> Vec<(Span, String)> {
    let Some(root) = document.record() else { return Vec::new() };
    if root.as_mapping().is_none() {
        return vec![(root.span, format!("a tool schema must be an object, but is a {}", root.kind_name()))];
    }
    let entries = || records(document).into_iter().flat_map(|record| &record.entries);
    entries().filter_map(entry_flaw).chain(entries().flat_map(argument_flaws)).collect()
}

/// The arguments whose schema is invalid.
fn argument_flaws(entry: &MappingEntry) -> Vec<(Span, String)> {
    let arguments = entry.value.as_mapping().filter(|_| matches!(entry.key.as_str(), ARGUMENTS | OPTIONAL));
    let arguments = arguments.into_iter().flat_map(|all| &all.entries);
    let flaw = |argument: &MappingEntry| {
        let error = compile(&argument_schema(&argument.value)?).err()?;
        Some((argument.value.span, format!("the schema of `{}` is invalid: {error}", argument.key)))
    };
    arguments.filter_map(flaw).collect()
}

fn entry_flaw(entry: &MappingEntry) -> Option<(Span, String)> {
    let key = entry.key.as_str();
    let value = &entry.value;
    let expected = match key {
        APPROVAL if !is_boolean(value) => "`true` or `false`",
        OPERATIONS if value.as_mapping().is_none() => "an object with one record per operation",
        ARGUMENTS | OPTIONAL if !is_list_of_strings(value) && value.as_mapping().is_none() => {
            "a list of names, or an object with one schema per name"
        }
        key if LISTS.contains(&key) && !is_list_of_strings(value) => "a list of strings",
        _ => return None,
    };
    Some((value.span, format!("`{key}` must be {expected}, but is a {}", value.kind_name())))
}

fn is_boolean(node: &Node) -> bool {
    node.as_scalar().is_some_and(|scalar| matches!(scalar.kind, ScalarKind::Bool(_)))
}

fn is_list_of_strings(node: &Node) -> bool {
    node.as_sequence().is_some_and(|items| items.iter().all(|item| item.as_str().is_some()))
}
