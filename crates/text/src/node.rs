//! A YAML or JSON document as a tree of nodes with spans.

use super::Span;
use serde_json::{Map, Number, Value as Json};

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The span of the value. For an alias, the span of the alias.
    pub span: Span,
    pub value: NodeValue,
}

#[derive(Clone, Debug, PartialEq)]
pub enum NodeValue {
    Scalar(Scalar),
    Sequence(Vec<Node>),
    Mapping(Mapping),
}

/// The entries in file order. A duplicate key appears once: with its first value in YAML, its last in JSON.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Mapping {
    pub entries: Vec<MappingEntry>,
    /// Whether it is written as `{a: b}`.
    pub flow: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MappingEntry {
    pub key: String,
    pub key_span: Span,
    pub value: Node,
}

/// A scalar as written, and as YAML 1.2's core schema resolves it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    /// The text after resolving quotes and escapes.
    pub text: String,
    pub kind: ScalarKind,
    pub style: ScalarStyle,
}

/// The type of a scalar in YAML 1.2's core schema, in which `yes`, `0777` and `1:20` are strings.
#[derive(Clone, Debug, PartialEq)]
pub enum ScalarKind {
    /// `null`, `~` or nothing.
    Null,
    Bool(bool),
    Number(Number),
    String,
}

/// Notation of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarStyle {
    /// Without quotes.
    Plain,
    /// In single or double quotes.
    Quoted,
    /// As a `|` or `>` block.
    Block,
}

/// A text and its span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpannedText {
    /// A number or boolean in place of the text counts by its text, so that a wrong type does not hide other problems.
    pub text: String,
    pub span: Span,
}

impl SpannedText {
    /// A whole number as JSON Schema has it: `100.0`, `1e2` and `0x64` are integers too.
    pub fn to_u64(&self) -> Option<u64> {
        whole(&number(&self.text)?)
    }
}

/// The number that a plain scalar stands for: <https://yaml.org/spec/1.2.2/#1032-tag-resolution>.
pub(crate) fn number(text: &str) -> Option<Number> {
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok().map(Number::from);
    }
    if let Some(octal) = text.strip_prefix("0o") {
        return u64::from_str_radix(octal, 8).ok().map(Number::from);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !unsigned.is_empty() && unsigned.bytes().all(|b| b.is_ascii_digit()) {
        let plain = text.strip_prefix('+').unwrap_or(text);
        let whole = plain.parse::<i64>().map(Number::from).or_else(|_| plain.parse::<u64>().map(Number::from));
        if let Ok(number) = whole {
            return Some(number);
        }
    }
    let numeric = |b: u8| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-');
    let has_digit = unsigned.bytes().any(|b| b.is_ascii_digit());
    if has_digit && unsigned.bytes().all(numeric) {
        return text.parse::<f64>().ok().and_then(Number::from_f64);
    }
    None
}

fn whole(number: &Number) -> Option<u64> {
    number.as_u64().or_else(|| number.as_f64().filter(|n| *n >= 0.0 && n.fract() == 0.0).map(|n| n as u64))
}

impl Node {
    pub fn as_mapping(&self) -> Option<&Mapping> {
        match &self.value {
            NodeValue::Mapping(mapping) => Some(mapping),
            _ => None,
        }
    }

    /// The entries of a mapping; empty for another value.
    pub fn entries(&self) -> &[MappingEntry] {
        self.as_mapping().map_or(&[], |mapping| &mapping.entries)
    }

    /// The entries of the mapping at a key; empty without one.
    pub fn entries_at(&self, key: &str) -> &[MappingEntry] {
        self.get(key).map_or(&[], Self::entries)
    }

    pub fn as_sequence(&self) -> Option<&[Node]> {
        match &self.value {
            NodeValue::Sequence(items) => Some(items),
            _ => None,
        }
    }

    pub fn as_scalar(&self) -> Option<&Scalar> {
        match &self.value {
            NodeValue::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The text, if it is a string.
    pub fn as_str(&self) -> Option<&str> {
        self.as_scalar().filter(|s| s.kind == ScalarKind::String).map(|s| s.text.as_str())
    }

    /// The text of a scalar of any type, with its span.
    pub fn spanned_text(&self) -> Option<SpannedText> {
        self.as_scalar().map(|scalar| SpannedText { text: scalar.text.clone(), span: self.span })
    }

    /// A whole number as JSON Schema has it: `100.0` is one too.
    pub fn as_u64(&self) -> Option<u64> {
        match &self.as_scalar()?.kind {
            ScalarKind::Number(number) => whole(number),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self.as_scalar()?.kind {
            ScalarKind::Bool(value) => Some(value),
            _ => None,
        }
    }

    pub fn as_f64(&self) -> Option<f64> {
        match &self.as_scalar()?.kind {
            ScalarKind::Number(number) => number.as_f64(),
            _ => None,
        }
    }

    pub fn is_null(&self) -> bool {
        self.as_scalar().is_some_and(|s| s.kind == ScalarKind::Null)
    }

    /// The value of `key`, if the node is a mapping with that key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.as_mapping()?.get(key).map(|entry| &entry.value)
    }

    /// The name of the type for messages: `string`, `list`, …
    pub fn kind_name(&self) -> &'static str {
        match &self.value {
            NodeValue::Sequence(_) => "list",
            NodeValue::Mapping(_) => "mapping",
            NodeValue::Scalar(scalar) => match &scalar.kind {
                ScalarKind::Null => "empty value",
                ScalarKind::Bool(_) => "boolean",
                ScalarKind::Number(_) => "number",
                ScalarKind::String => "string",
            },
        }
    }

    /// Converts the node for a JSON Schema validator.
    pub fn to_json(&self) -> Json {
        match &self.value {
            NodeValue::Sequence(items) => Json::Array(items.iter().map(Node::to_json).collect()),
            NodeValue::Mapping(mapping) => {
                let pairs = mapping.entries.iter().map(|e| (e.key.clone(), e.value.to_json()));
                Json::Object(pairs.collect::<Map<_, _>>())
            }
            NodeValue::Scalar(scalar) => match &scalar.kind {
                ScalarKind::Null => Json::Null,
                ScalarKind::Bool(b) => Json::Bool(*b),
                ScalarKind::Number(n) => Json::Number(n.clone()),
                ScalarKind::String => Json::String(scalar.text.clone()),
            },
        }
    }

    /// The node at a JSON pointer (RFC 6901), and the span of its key if it has one.
    pub fn at_pointer(&self, pointer: &str) -> Option<(&Node, Option<Span>)> {
        let mut here = (self, None);
        for part in pointer.split('/').skip(1) {
            let part = part.replace("~1", "/").replace("~0", "~");
            here = match &here.0.value {
                NodeValue::Mapping(mapping) => {
                    let entry = mapping.get(&part)?;
                    (&entry.value, Some(entry.key_span))
                }
                NodeValue::Sequence(items) => (items.get(part.parse::<usize>().ok()?)?, None),
                NodeValue::Scalar(_) => return None,
            };
        }
        Some(here)
    }
}

impl Mapping {
    pub fn get(&self, key: &str) -> Option<&MappingEntry> {
        self.entries.iter().find(|entry| entry.key == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_those_of_json_schema() {
        for (text, want) in [
            ("3", Some(3)),
            ("3.0", Some(3)),
            ("1e2", Some(100)),
            ("0x10", Some(16)),
            ("3.5", None),
            ("-1", None),
            ("-1.0", None),
            ("three", None),
            ("", None),
        ] {
            let text = SpannedText { text: text.to_owned(), span: Span::default() };
            assert_eq!(text.to_u64(), want, "{}", text.text);
        }
    }
}
