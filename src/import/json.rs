//! JSON with comments, as the tools write it.

use crate::syntax::json::jsonc_options;
use serde_json::{Map, Value};

/// An object, or why there is none, with the line.
pub(super) fn object(text: &str) -> Result<Map<String, Value>, String> {
    let text = text.trim_start_matches('\u{feff}');
    let value = jsonc_parser::parse_to_serde_value::<Value>(text, &jsonc_options())
        .map_err(|e| format!("line {}: it cannot be read as JSON: {}", e.line_display(), e.kind()))?;
    match value {
        Value::Object(object) => Ok(object),
        _ => Err("line 1: it is no JSON object".to_owned()),
    }
}

/// The texts of a list; none where there is no list.
pub(super) fn texts(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array);
    items.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
