//! Reads the settings of tools: JSON with comments, and TOML.

use canonry_text::node::Node;
use canonry_text::{json, toml};
use serde_json::{Map, Value};

/// Settings cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub(super) struct FormatError {
    /// The line, from 1.
    line: usize,
    message: String,
}

impl FormatError {
    fn new(text: &str, offset: usize, message: String) -> Self {
        Self { line: text[..offset].matches('\n').count() + 1, message }
    }

    fn not_an_object() -> Self {
        Self { line: 1, message: "expected a JSON object".to_owned() }
    }
}

/// Parses a JSON object with comments.
pub(super) fn parse_json(text: &str) -> Result<Node, FormatError> {
    let text = text.trim_start_matches('\u{feff}');
    let root = json::parse_jsonc(text, 0)
        .map_err(|error| FormatError::new(text, error.span.offset, format!("invalid JSON: {}", error.message)))?
        .root;
    if root.as_mapping().is_some() { Ok(root) } else { Err(FormatError::not_an_object()) }
}

/// The values of a JSON object with comments.
pub(super) fn parse_object(text: &str) -> Result<Map<String, Value>, FormatError> {
    match parse_json(text)?.to_json() {
        Value::Object(object) => Ok(object),
        _ => Err(FormatError::not_an_object()),
    }
}

/// The parser of a settings file.
pub(super) fn parser(path: &str) -> fn(&str) -> Result<Node, FormatError> {
    if path.ends_with(".toml") { parse_toml } else { parse_json }
}

/// The strings of a list; empty if the value is not a list.
pub(super) fn strings(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array);
    items.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Parses TOML.
pub(super) fn parse_toml(text: &str) -> Result<Node, FormatError> {
    toml::parse(text)
        .map_err(|error| FormatError::new(text, error.span.offset, format!("invalid TOML: {}", error.message)))
}
