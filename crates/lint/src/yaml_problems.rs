//! Findings for a document that is not valid YAML.

use crate::{Finding, Rule};
use canonry_model::finding::Location;
use canonry_text::Source;
use canonry_text::yaml::{DuplicateKey, ParsedDocument, YamlError};
use std::sync::Arc;

/// The error of a document that cannot be parsed, otherwise its duplicate keys, as findings of a rule.
pub(crate) fn findings(
    rule: &'static Rule,
    source: &Arc<Source>,
    yaml: &Result<ParsedDocument, YamlError>,
) -> Vec<Finding> {
    match yaml {
        Err(error) => {
            let message = format!("invalid YAML: {}", error.message);
            vec![rule.at(Location::at(source, error.span), message).help(help(source.text(), error.span.offset))]
        }
        Ok(yaml) => yaml.duplicates.iter().map(|duplicate| duplicate_key(rule, source, duplicate)).collect(),
    }
}

fn duplicate_key(rule: &'static Rule, source: &Arc<Source>, duplicate: &DuplicateKey) -> Finding {
    rule.at(Location::at(source, duplicate.span), format!("duplicate key `{}`", duplicate.key))
        .related(Location::at(source, duplicate.first), "first defined here; canonry uses this value")
        .help("keep one of the two")
}

/// The help for `description: "Use for "notes" of a release"`, and for a value that only starts with words in quotes:
/// `argument-hint: "<title>" or --all`.
pub(crate) fn quotes_inside(line: &str) -> Option<String> {
    let (key, value) = line.split_once(": ")?;
    let key = key.trim();
    let value = value.trim();
    let inside = value.strip_prefix('"')?.replace("\\\"", "");
    let (_, after) = inside.split_once('"')?;
    if after.trim().is_empty() || after.trim_start().starts_with('#') {
        return None;
    }
    Some(if after.starts_with(' ') {
        format!("put single quotes around all of it: `{key}: '{}'`", value.replace('\'', "''"))
    } else {
        format!("a double quote ends the value of `{key}`: put the value between single quotes, or write `\\\"` inside")
    })
}

fn help(text: &str, offset: usize) -> &'static str {
    if text.as_bytes().get(offset..).is_some_and(|rest| rest.starts_with(&[0])) {
        return "the file contains a NUL byte: it is truncated or not a text file; restore it";
    }
    "correct the line, or quote a value with special characters"
}
