//! Parses TOML into [`Node`]s.

use super::Span;
use super::node::{Mapping, MappingEntry, Node, NodeValue, Scalar, ScalarKind, ScalarStyle};
use serde_json::Number;
use toml_edit::{Document, Item, Table, Value};

/// A TOML syntax error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TomlError {
    /// The error in lower case, without a full stop.
    pub message: String,
    pub span: Span,
}

/// Parses a document. Dates are strings.
///
/// # Errors
/// The first syntax error.
pub fn parse(text: &str) -> Result<Node, TomlError> {
    let document = Document::parse(text).map_err(|error| TomlError {
        message: error.message().lines().next().unwrap_or_default().to_owned(),
        span: error.span().map_or(Span::default(), |range| Span::new(range.start, range.end)),
    })?;
    Ok(Node { span: Span::new(0, text.len()), value: table(document.as_table()) })
}

fn table(table: &Table) -> NodeValue {
    entries(table.iter().filter_map(|(name, _)| table.get_key_value(name)), false)
}

fn entries<'a>(pairs: impl Iterator<Item = (&'a toml_edit::Key, &'a Item)>, flow: bool) -> NodeValue {
    let entry = |(key, item): (&toml_edit::Key, &Item)| {
        let key_span = key.span().map_or(Span::default(), |range| Span::new(range.start, range.end));
        // A table that only its children define has no span of its own.
        let span = item.span().map_or(key_span, |range| Span::new(range.start, range.end));
        MappingEntry { key: key.get().to_owned(), key_span, value: node(item, span) }
    };
    NodeValue::Mapping(Mapping { entries: pairs.map(entry).collect(), flow })
}

fn node(item: &Item, span: Span) -> Node {
    let value = match item {
        Item::None => scalar(String::new(), ScalarKind::Null),
        Item::Table(inner) => table(inner),
        Item::ArrayOfTables(tables) => NodeValue::Sequence(
            tables
                .iter()
                .map(|inner| {
                    let span = inner.span().map_or(span, |range| Span::new(range.start, range.end));
                    Node { span, value: table(inner) }
                })
                .collect(),
        ),
        Item::Value(inner) => value(inner, span),
    };
    Node { span, value }
}

fn value(value_in: &Value, span: Span) -> NodeValue {
    let text = || value_in.to_string().trim().to_owned();
    match value_in {
        Value::String(inner) => scalar(inner.value().clone(), ScalarKind::String),
        Value::Boolean(inner) => scalar(text(), ScalarKind::Bool(*inner.value())),
        Value::Integer(inner) => scalar(text(), ScalarKind::Number(Number::from(*inner.value()))),
        Value::Float(inner) => {
            let number = Number::from_f64(*inner.value()).unwrap_or_else(|| Number::from(0));
            scalar(text(), ScalarKind::Number(number))
        }
        Value::Datetime(_) => scalar(text(), ScalarKind::String),
        Value::Array(items) => NodeValue::Sequence(
            items
                .iter()
                .map(|inner| {
                    let span = inner.span().map_or(span, |range| Span::new(range.start, range.end));
                    Node { span, value: value(inner, span) }
                })
                .collect(),
        ),
        Value::InlineTable(inner) => {
            let table = inner.clone().into_table();
            let pairs = table.iter().filter_map(|(name, _)| table.get_key_value(name));
            entries(pairs, true)
        }
    }
}

fn scalar(text: String, kind: ScalarKind) -> NodeValue {
    NodeValue::Scalar(Scalar { text, kind, style: ScalarStyle::Quoted })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_spans() -> Result<(), TomlError> {
        let text = "a = \"x\"\n[s.t]\ncommand = 'y'\nargs = [1, true]\n[[h]]\nenv = { B = 'c' }\n";
        let root = parse(text)?;
        for (pointer, slice) in
            [("/a", "\"x\""), ("/s/t/command", "'y'"), ("/s/t/args/1", "true"), ("/h/0/env", "{ B = 'c' }")]
        {
            let found = root.at_pointer(pointer).map(|(node, _)| &text[node.span.range()]);
            assert_eq!(found, Some(slice), "{pointer}");
        }
        let json =
            serde_json::json!({"a": "x", "s": {"t": {"command": "y", "args": [1, true]}}, "h": [{"env": {"B": "c"}}]});
        assert_eq!(root.to_json(), json);
        Ok(())
    }

    #[test]
    fn syntax_errors_have_spans() {
        let error = parse("a = 1\nb = [\n").map_err(|error| error.span.offset > 5);
        assert_eq!(error, Err(true));
    }
}
