//! Parses JSON into [`Node`]s. Lone surrogates and duplicate keys, which occur in practice, are accepted.
//!
//! Depth and size are limited, so that recursive code needs no checks of its own.

use super::Span;
use super::node::{Mapping, MappingEntry, Node, NodeValue, Scalar, ScalarKind, ScalarStyle};
use super::yaml::{DuplicateKey, ParsedDocument};
use jsonc_parser::tokens::Token;
use jsonc_parser::{ParseOptions, Scanner, ScannerOptions};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Number;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

/// Deeper than any real document.
const MAX_DEPTH: usize = 64;
/// The maximum number of values in a document.
const MAX_NODES: usize = 200_000;

/// A JSON syntax error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct JsonError {
    /// The error in lower case, without a full stop.
    pub message: String,
    pub span: Span,
}

impl JsonError {
    /// Converts an error of serde_json on `text`. Its line and column become a span.
    pub fn from_serde(text: &str, error: &serde_json::Error) -> Self {
        let line: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        let mut at = (line + error.column().saturating_sub(1)).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let message = error.to_string();
        let message = message.split(" at line ").next().expect("split is never empty").to_owned();
        Self { message, span: Span::new(at, text[at..].chars().next().map_or(at, |c| at + c.len_utf8())) }
    }
}

/// Parses the value in `text`, which starts at byte `offset` of its file. Spans count from the start of the file. For
/// duplicate keys the last value counts, as in most JSON parsers.
///
/// # Errors
/// The first syntax error, or the first value beyond the limits.
pub fn parse(text: &str, offset: usize) -> Result<ParsedDocument, JsonError> {
    if text.starts_with('\u{feff}') {
        let span = Span::new(0, 3).shifted(offset);
        return Err(JsonError { message: "a byte order mark, which JSON does not allow".to_owned(), span });
    }
    let mut reader = JsonReader { text, offset, duplicates: Vec::new(), nodes: 0 };
    let whole = serde_json::from_str::<&RawValue>(text).map_err(|e| reader.error(text, &e))?;
    let root = reader.node(whole, 0)?;
    Ok(ParsedDocument { root, duplicates: reader.duplicates, has_anchors: false })
}

/// Parses the value in a text with comments and trailing commas, like [`parse`].
///
/// # Errors
/// See [`parse`].
pub fn parse_jsonc(text: &str, offset: usize) -> Result<ParsedDocument, JsonError> {
    parse(&without_comments(text), offset).map_err(|error| {
        // A character of a comment is several spaces there.
        let mut at = error.span.offset - offset;
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let end = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
        JsonError { span: Span::new(at, end.max(error.span.end() - offset)).shifted(offset), ..error }
    })
}

/// Replaces comments and trailing commas with spaces, so that positions do not change. A comma is trailing only after a value: no
/// tool reads `[,]`. From an invalid token on, the text stays as it is.
fn without_comments(text: &str) -> String {
    let mut scanner = Scanner::new(text, &ScannerOptions::default());
    let mut blanks: Vec<Range<usize>> = Vec::new();
    let mut comma = None;
    // Whether a value or a key precedes.
    let mut follows_value = false;
    while let Ok(Some(token)) = scanner.scan() {
        let range = scanner.token_start()..scanner.token_end();
        match token {
            Token::CommentLine(_) | Token::CommentBlock(_) => blanks.push(range),
            Token::Comma => {
                comma = Some(range).filter(|_| follows_value);
                follows_value = false;
            }
            Token::CloseBrace | Token::CloseBracket => {
                blanks.extend(comma.take());
                follows_value = true;
            }
            _ => {
                comma = None;
                follows_value = !matches!(token, Token::OpenBrace | Token::OpenBracket | Token::Colon);
            }
        }
    }
    let mut plain = text.as_bytes().to_vec();
    for range in blanks {
        plain[range].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    String::from_utf8(plain).expect("comments consist of whole characters")
}

struct JsonReader<'a> {
    text: &'a str,
    offset: usize,
    duplicates: Vec<DuplicateKey>,
    nodes: usize,
}

impl<'a> JsonReader<'a> {
    /// The span of a part of the text. Raw values borrow from it.
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
        let limit_error = |what: String| JsonError { message: what, span: Span::new(span.offset, span.offset + 1) };
        if depth > MAX_DEPTH {
            return Err(limit_error(format!("nested deeper than {MAX_DEPTH} levels")));
        }
        if self.nodes > MAX_NODES {
            return Err(limit_error(format!("holds more than {MAX_NODES} values")));
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
        // The index of the entry, and the span of the first key.
        let mut known: HashMap<String, (usize, Span)> = HashMap::new();
        for (key, value) in pairs {
            let key_span = self.span(key.get());
            let key = string(key.get()).unwrap_or_default().into_owned();
            let value = self.node(value, depth + 1)?;
            match known.get(&key) {
                Some((at, first)) => {
                    self.duplicates.push(DuplicateKey { key: key.clone(), span: key_span, first: *first });
                    entries[*at] = MappingEntry { key, key_span, value };
                }
                None => {
                    known.insert(key.clone(), (entries.len(), key_span));
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

/// A number outside of the range of f64 becomes the largest one, which violates every schema limit.
fn number(raw: &str) -> Number {
    let greatest = if raw.starts_with('-') { f64::MIN } else { f64::MAX };
    raw.parse().ok().or_else(|| Number::from_f64(greatest)).unwrap_or_else(|| Number::from(0))
}

/// The text of a JSON string. A lone surrogate, left by programs that truncate text, becomes U+FFFD.
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

/// Collects the raw keys and values of an object.
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

/// The syntax of JSONC as the tools accept it: comments and trailing commas, nothing else.
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
    fn values_have_spans() -> Result<(), JsonError> {
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
    fn accepts_lone_surrogates_and_duplicate_keys() -> Result<(), JsonError> {
        let document = parse(r#"{"a": 1e999, "b": "x\ud83d", "a": -1e999, "c": 18446744073709551616}"#, 0)?;
        assert_eq!(document.duplicates.len(), 1);
        let json = document.root.to_json();
        assert_eq!(json["a"], serde_json::json!(f64::MIN));
        assert_eq!(json["b"], "x\u{fffd}\u{fffd}\u{fffd}");
        Ok(())
    }

    #[test]
    fn comments_and_trailing_commas_become_spaces() {
        for (text, want) in [
            ("{\"a\": 1, // x\n}", "{\"a\": 1      \n}"),
            ("[1, /* , */ ]", "[1          ]"),
            ("{\"a\": \"// \\\" ,}\"}", "{\"a\": \"// \\\" ,}\"}"),
            ("[1, 2]", "[1, 2]"),
            ("[{}, [1,],]", "[{}, [1 ] ]"),
            ("[,]", "[,]"),
            ("{\"a\": [ /* x */ ,]}", "{\"a\": [         ,]}"),
            ("{\"a\": 1,,}", "{\"a\": 1,,}"),
            ("/* é */[]", "        []"),
            ("// x", "    "),
        ] {
            let plain = without_comments(text);
            assert_eq!(plain.len(), text.len());
            assert_eq!(plain, want, "{text}");
        }
    }

    #[test]
    fn errors_after_a_comment_are_at_whole_characters() {
        for text in ["// é", "{\"a\": 1 // x\u{feff}", "/* é */ x", "[1, /* é */"] {
            let error = parse_jsonc(text, 3).unwrap_err();
            let range = error.span.offset - 3..error.span.end() - 3;
            assert!(text.get(range.clone()).is_some(), "{text}: {range:?}");
        }
    }

    #[test]
    fn syntax_errors_have_spans() {
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
