//! Reads the settings of tools: JSON with comments, and TOML.

use canonry_text::json::jsonc_options;
use serde_json::{Map, Value};
use toml_edit::{DocumentMut, Item, TableLike};

/// Settings cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum FormatError {
    /// Invalid JSON.
    #[error("line {line}: invalid JSON: {message}")]
    Json {
        /// The line, from 1.
        line: usize,
        /// The parser's message.
        message: String,
    },
    /// JSON of another type.
    #[error("line 1: expected a JSON object")]
    NotAnObject,
    /// Invalid TOML.
    #[error("line {line}: invalid TOML: {message}")]
    Toml {
        /// The line, from 1.
        line: usize,
        /// The parser's message.
        message: String,
    },
}

/// Parses a JSON object with comments.
pub(super) fn parse_object(text: &str) -> Result<Map<String, Value>, FormatError> {
    let text = text.trim_start_matches('\u{feff}');
    let value = jsonc_parser::parse_to_serde_value::<Value>(text, &jsonc_options())
        .map_err(|e| FormatError::Json { line: e.line_display(), message: e.kind().to_string() })?;
    match value {
        Value::Object(object) => Ok(object),
        _ => Err(FormatError::NotAnObject),
    }
}

/// The strings of a list; empty if the value is not a list.
pub(super) fn strings(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array);
    items.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Parses TOML.
pub(super) fn parse_toml(text: &str) -> Result<DocumentMut, FormatError> {
    text.parse::<DocumentMut>().map_err(|e| {
        let line = text[..e.span().map_or(0, |span| span.start)].matches('\n').count() + 1;
        FormatError::Toml { line, message: e.message().to_owned() }
    })
}

/// The entries of a TOML table; empty if the item is not a table.
pub(super) fn toml_entries(item: Option<&Item>) -> Vec<(&str, &Item)> {
    item.and_then(Item::as_table_like).map(|table| table.iter().collect()).unwrap_or_default()
}

/// Converts a TOML value to JSON; dates become strings.
pub(super) fn toml_to_json(item: &Item) -> Value {
    let table = |table: &dyn TableLike| {
        Value::Object(table.iter().map(|(key, item)| (key.to_owned(), toml_to_json(item))).collect::<Map<_, _>>())
    };
    match item {
        Item::Table(inner) => table(inner),
        Item::Value(toml_edit::Value::InlineTable(inner)) => table(inner),
        Item::Value(toml_edit::Value::Array(items)) => {
            Value::Array(items.iter().map(|item| toml_to_json(&Item::Value(item.clone()))).collect())
        }
        Item::Value(toml_edit::Value::String(text)) => Value::from(text.value().as_str()),
        Item::Value(toml_edit::Value::Integer(number)) => Value::from(*number.value()),
        Item::Value(toml_edit::Value::Float(number)) => Value::from(*number.value()),
        Item::Value(toml_edit::Value::Boolean(boolean)) => Value::from(*boolean.value()),
        Item::Value(other) => Value::from(other.to_string().trim()),
        Item::ArrayOfTables(tables) => Value::Array(tables.iter().map(|inner| table(inner)).collect()),
        Item::None => Value::Null,
    }
}
