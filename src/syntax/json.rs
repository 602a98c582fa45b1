//! JSON into [`Node`]s, and JSON texts as they are found: cut-off halves of characters and repeated keys are no reason
//! to give up a document.
//!
//! Depth and size are bounded, so that no recursion in here or in a consumer needs to fear a file.

use super::Span;
use super::node::{Mapping, MappingEntry, Node, NodeValue, Scalar, ScalarKind, ScalarStyle};
use super::yaml::{DuplicateKey, ParsedDocument};
use jsonc_parser::ParseOptions;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Number;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

/// Nesting that no real document reaches.
const MAX_DEPTH: usize = 64;
/// Values of one document.
const MAX_NODES: usize = 200_000;

/// Why a text is no JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct JsonError {
    /// What is wrong, lower case, without a full stop.
    pub message: String,
    /// Where.
    pub span: Span,
}

impl JsonError {
    /// The parser's error on `text`, whose lines and columns become a span in it.
    pub fn from_serde(text: &str, error: &serde_json::Error) -> Self {
        let line: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        let mut at = (line + error.column().saturating_sub(1)).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default().to_owned();
        Self { message, span: Span::new(at, text[at..].chars().next().map_or(at, |c| at + c.len_utf8())) }
    }
}

/// Reads the one value in `text`, which stands `offset` bytes into its file; spans count from the file's start. Of a key
/// that stands twice the last value counts, as for most JSON readers.
///
/// # Errors
/// The first place where the text is no JSON, or is deeper or larger than a real document.
pub fn parse(text: &str, offset: usize) -> Result<ParsedDocument, JsonError> {
    if text.starts_with('\u{feff}') {
        let span = Span::new(0, 3).shifted(offset);
        return Err(JsonError { message: "a byte order mark, which JSON does not allow".to_owned(), span });
    }
    let mut reader = JsonReader { text, offset, duplicates: Vec::new(), nodes: 0 };
    let whole = serde_json::from_str::<&RawValue>(text).map_err(|e| reader.error(text, &e))?;
    let root = reader.node(whole, 0)?;
    Ok(ParsedDocument { root, duplicates: reader.duplicates })
}

struct JsonReader<'a> {
    text: &'a str,
    offset: usize,
    duplicates: Vec<DuplicateKey>,
    nodes: usize,
}

impl<'a> JsonReader<'a> {
    /// Where a part of the text stands: raw values are borrowed from it.
    fn span(&self, part: &str) -> Span {
        let start = part.as_ptr().addr().saturating_sub(self.text.as_ptr().addr());
        Span::new(start, start + part.len()).shifted(self.offset)
    }

    fn error(&self, part: &str, error: &serde_json::Error) -> JsonError {
        let JsonError { message, span } = JsonError::from_serde(part, error);
        JsonError { message, span: span.shifted(self.span(part).offset) }
    }

    fn node(&mut self, raw: &'a RawValue, depth: usize) -> Result<Node, JsonError> {
        let text = raw.get();
        let span = self.span(text);
        self.nodes += 1;
        let too = |what: String| JsonError { message: what, span: Span::new(span.offset, span.offset + 1) };
        if depth > MAX_DEPTH {
            return Err(too(format!("nested deeper than {MAX_DEPTH} levels")));
        }
        if self.nodes > MAX_NODES {
            return Err(too(format!("holds more than {MAX_NODES} values")));
        }
        let value = match text.as_bytes().first() {
            Some(b'{') => NodeValue::Mapping(self.mapping(text, depth)?),
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(text).map_err(|e| self.error(text, &e))?;
                let nodes: Result<Vec<Node>, JsonError> =
                    items.into_iter().map(|item| self.node(item, depth + 1)).collect();
                NodeValue::Sequence(nodes?)
            }
            _ => NodeValue::Scalar(scalar(text)),
        };
        Ok(Node { span, value })
    }

    fn mapping(&mut self, text: &'a str, depth: usize) -> Result<Mapping, JsonError> {
        let pairs = serde_json::Deserializer::from_str(text).deserialize_map(PairsVisitor);
        let pairs = pairs.map_err(|e| self.error(text, &e))?;
        let mut entries: Vec<MappingEntry> = Vec::with_capacity(pairs.len());
        let mut known: HashMap<String, usize> = HashMap::new();
        for (key, value) in pairs {
            let key_span = self.span(key.get());
            let key = string(key.get()).unwrap_or_default().into_owned();
            let value = self.node(value, depth + 1)?;
            match known.get(&key) {
                Some(at) => {
                    self.duplicates.push(DuplicateKey { key, span: key_span, first: entries[*at].key_span });
                    entries[*at].value = value;
                }
                None => {
                    known.insert(key.clone(), entries.len());
                    entries.push(MappingEntry { key, key_span, value });
                }
            }
        }
        Ok(Mapping { entries, flow: true })
    }
}

fn scalar(raw: &str) -> Scalar {
    let plain = |kind| Scalar { text: raw.to_owned(), kind, style: ScalarStyle::Plain };
    match raw {
        "null" => plain(ScalarKind::Null),
        "true" => plain(ScalarKind::Bool(true)),
        "false" => plain(ScalarKind::Bool(false)),
        _ => match string(raw) {
            Some(text) => Scalar { text: text.into_owned(), kind: ScalarKind::String, style: ScalarStyle::Quoted },
            None => plain(ScalarKind::Number(number(raw))),
        },
    }
}

/// A number beyond all that floats can hold becomes the greatest one, which no limit of a schema lets through.
fn number(raw: &str) -> Number {
    let greatest = if raw.starts_with('-') { f64::MIN } else { f64::MAX };
    raw.parse().ok().or_else(|| Number::from_f64(greatest)).unwrap_or_else(|| Number::from(0))
}

/// The text of a JSON string. Half a surrogate pair, which programs leave that cut text to a length, becomes U+FFFD.
pub fn string(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    let bytes = serde_json::Deserializer::from_str(raw).deserialize_bytes(BytesVisitor).ok()?;
    Some(Cow::Owned(String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())))
}

struct BytesVisitor;

impl Visitor<'_> for BytesVisitor {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }
}

/// Keys and values of an object, unread.
struct PairsVisitor;

impl<'de> Visitor<'de> for PairsVisitor {
    type Value = Vec<(&'de RawValue, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(pairs)
    }
}

/// What is allowed beyond JSON.
pub fn jsonc_options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_knows_its_place() -> Result<(), JsonError> {
        let text = " {\"a\": [1, {\"b\\n\": \"x\\ty\"}], \"c\": null}\n";
        let root = parse(text, 0)?.root;
        for (pointer, slice) in [("/a", "[1, {\"b\\n\": \"x\\ty\"}]"), ("/a/0", "1"), ("/a/1/b\n", "\"x\\ty\"")] {
            let found = root.at_pointer(pointer).map(|(node, _)| &text[node.span.range()]);
            assert_eq!(found, Some(slice), "{pointer}");
        }
        assert_eq!(root.to_json(), serde_json::json!({"a": [1, {"b\n": "x\ty"}], "c": null}));
        let shifted = parse("{\"k\": true}", 100)?.root;
        assert_eq!(shifted.as_mapping().map(|m| m.entries[0].key_span), Some(Span::new(101, 104)));
        Ok(())
    }

    #[test]
    fn odd_documents_are_read() -> Result<(), JsonError> {
        let document = parse(r#"{"a": 1e999, "b": "x\ud83d", "a": -1e999, "c": 18446744073709551616}"#, 0)?;
        assert_eq!(document.duplicates.len(), 1);
        let json = document.root.to_json();
        assert_eq!(json["a"], serde_json::json!(f64::MIN));
        assert_eq!(json["b"], "x\u{fffd}\u{fffd}\u{fffd}");
        Ok(())
    }

    #[test]
    fn what_is_no_json_is_placed() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        let wide = format!("[{}0]", "0,".repeat(MAX_NODES));
        for (text, message, at) in [
            ("", "EOF while parsing a value", 0),
            ("{\n\"a\": x}", "expected value", 7),
            ("{\"é\": 1,}", "key must be a string", 9),
            ("{} {}", "trailing characters", 3),
            ("\u{feff}{}", "a byte order mark, which JSON does not allow", 0),
            (&deep, "nested deeper than 64 levels", 65),
            (&wide, "holds more than 200000 values", 2 * MAX_NODES - 1),
        ] {
            let error = parse(text, 0).map_err(|e| (e.message, e.span.offset));
            assert_eq!(error, Err((message.to_owned(), at)), "{}", &text[..text.len().min(20)]);
        }
    }
}
