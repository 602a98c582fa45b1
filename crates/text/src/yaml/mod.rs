//! Parses YAML into [`Node`]s from the events of `granit-parser`.
//!
//! Depth, size and alias expansion are limited, so that no file can exhaust memory. A duplicate key does not end the
//! parsing: it is recorded, and the first value counts.

mod edited;

use super::Span;
use super::node::{Mapping, MappingEntry, Node, NodeValue, Scalar, ScalarKind, ScalarStyle, number};
use granit_parser::{Event, Parser, StrInput, Tag};
use std::borrow::Cow;
use std::collections::HashMap;

/// Deeper than any real file; keeps recursive code safe.
const MAX_DEPTH: usize = 64;
/// The maximum number of nodes in a document, and of nodes that its aliases expand to: ten times a plan of 1,000 steps.
const MAX_NODES: usize = 200_000;
/// The number of keys from which a mapping is indexed by hash.
const MANY_KEYS: usize = 16;

/// A parsed document.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedDocument {
    /// The root; an empty scalar for an empty document.
    pub root: Node,
    pub duplicates: Vec<DuplicateKey>,
    /// Whether a value has an anchor, so that others may repeat it.
    pub has_anchors: bool,
}

/// A key that occurs twice in a mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateKey {
    pub key: String,
    /// The second occurrence.
    pub span: Span,
    /// The first occurrence.
    pub first: Span,
}

/// A YAML syntax error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct YamlError {
    /// The error in lower case, without a full stop.
    pub message: String,
    pub span: Span,
}

/// Parses the document in `text`, which starts at byte `offset` of its file. Spans count from the start of the file.
///
/// # Errors
/// The first syntax error, second document, tag outside the core schema, non-scalar key, or value beyond the limits.
pub fn parse(text: &str, offset: usize) -> Result<ParsedDocument, YamlError> {
    let options = granit_parser::options! { emit_comments: false };
    let mut loader = YamlLoader {
        parser: Parser::new_from_str_with_options(text, options),
        anchors: HashMap::new(),
        duplicates: Vec::new(),
        nodes: 0,
        expanded: 0,
        text,
        offset,
    };
    let root = loader.document()?;
    Ok(ParsedDocument { root, duplicates: loader.duplicates, has_anchors: !loader.anchors.is_empty() })
}

/// Parses a file, which may start with a byte order mark.
///
/// # Errors
/// Those of [`parse`].
pub fn parse_file(text: &str) -> Result<ParsedDocument, YamlError> {
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    parse(&text[start..], start)
}

type Spanned<'a> = (Event<'a>, Span);

struct YamlLoader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    /// The value of each anchor, and its number of nodes.
    anchors: HashMap<usize, (Node, usize)>,
    duplicates: Vec<DuplicateKey>,
    nodes: usize,
    /// The nodes that aliases stand for.
    expanded: usize,
    text: &'a str,
    offset: usize,
}

impl<'a> YamlLoader<'a> {
    fn document(&mut self) -> Result<Node, YamlError> {
        let mut root = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamEnd => return Ok(root.unwrap_or_else(|| empty(Span::new(self.offset, self.offset)))),
                Event::DocumentStart(..) if root.is_some() => {
                    return Err(error("a second YAML document starts here", span));
                }
                Event::StreamStart | Event::DocumentStart(..) | Event::DocumentEnd => {}
                event => root = Some(self.node((event, span), 0)?),
            }
        }
    }

    fn next(&mut self) -> Result<Spanned<'a>, YamlError> {
        let length = self.text.len();
        let offset = self.offset;
        let end = Span::new(length, length).shifted(offset);
        match self.parser.next_event() {
            Some(Ok((event, span))) => {
                let range = span.byte_range().unwrap_or(length..length);
                Ok((event, Span::from(range).shifted(offset)))
            }
            Some(Err(e)) => {
                let at = e.marker().byte_offset().unwrap_or(length);
                Err(error(e.info(), Span::char_at(self.text, at).shifted(offset)))
            }
            None => Err(error("the text ends too early", end)),
        }
    }

    fn node(&mut self, (event, span): Spanned<'a>, depth: usize) -> Result<Node, YamlError> {
        let before = self.nodes;
        self.count(1, span)?;
        if depth > MAX_DEPTH {
            return Err(error(format!("nested deeper than {MAX_DEPTH} levels"), span));
        }
        let (node, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let scalar = scalar(text, style, tag.as_deref(), span)?;
                (Node { span, value: NodeValue::Scalar(scalar) }, anchor)
            }
            Event::Alias(id) => (self.alias(id, span)?, 0),
            Event::SequenceStart(_, anchor, tag) => {
                core_tag_only(tag.as_deref(), "seq", span)?;
                (self.sequence(span, depth)?, anchor)
            }
            Event::MappingStart(style, anchor, tag) => {
                core_tag_only(tag.as_deref(), "map", span)?;
                let flow = matches!(style, granit_parser::StructureStyle::Flow);
                (self.mapping(span, flow, depth)?, anchor)
            }
            _ => return Err(error("a value is expected here", span)),
        };
        if anchor != 0 {
            self.anchors.insert(anchor, (node.clone(), self.nodes - before));
        }
        Ok(node)
    }

    /// Counts the nodes of the expansion before creating them.
    fn alias(&mut self, id: usize, span: Span) -> Result<Node, YamlError> {
        let Some(nodes) = self.anchors.get(&id).map(|(_, nodes)| *nodes) else {
            return Err(error("an alias to a value that is not complete", span));
        };
        self.expanded += nodes;
        if self.expanded > MAX_NODES {
            return Err(error(format!("expands to more than {MAX_NODES} values"), span));
        }
        self.count(nodes, span)?;
        match self.anchors.get(&id) {
            Some((node, _)) => Ok(Node { span, value: node.value.clone() }),
            None => Ok(empty(span)),
        }
    }

    fn sequence(&mut self, start: Span, depth: usize) -> Result<Node, YamlError> {
        let mut items = Vec::new();
        loop {
            let next = self.next()?;
            if matches!(next.0, Event::SequenceEnd) {
                let span = Span::new(start.offset, last_end(&items, next.1));
                return Ok(Node { span, value: NodeValue::Sequence(items) });
            }
            items.push(self.node(next, depth + 1)?);
        }
    }

    fn mapping(&mut self, start: Span, flow: bool, depth: usize) -> Result<Node, YamlError> {
        let mut mapping = Mapping { entries: Vec::new(), flow };
        let mut known: HashMap<String, usize> = HashMap::new();
        loop {
            let (event, key_span) = self.next()?;
            let key = match event {
                Event::MappingEnd => {
                    let end = match mapping.entries.last() {
                        Some(entry) if !flow => entry.value.span.end(),
                        _ => key_span.end(),
                    };
                    let span = Span::new(start.offset, end);
                    return Ok(Node { span, value: NodeValue::Mapping(mapping) });
                }
                Event::Scalar(text, ..) => text.into_owned(),
                _ => return Err(error("a key must be plain text", key_span)),
            };
            self.count(1, key_span)?;
            let next = self.next()?;
            let value = self.node(next, depth + 1)?;
            if let Some(first) = first_of(&key, &mapping, &mut known) {
                self.duplicates.push(DuplicateKey { key, span: key_span, first });
            } else {
                mapping.entries.push(MappingEntry { key, key_span, value });
            }
        }
    }

    fn count(&mut self, nodes: usize, span: Span) -> Result<(), YamlError> {
        self.nodes += nodes;
        if self.nodes > MAX_NODES {
            return Err(error(format!("expands to more than {MAX_NODES} values"), span));
        }
        Ok(())
    }
}

/// The earlier occurrence of a key. Only large mappings update the index `known`; in small ones a linear search is
/// faster.
fn first_of(key: &str, mapping: &Mapping, known: &mut HashMap<String, usize>) -> Option<Span> {
    if mapping.entries.len() < MANY_KEYS {
        return mapping.get(key).map(|entry| entry.key_span);
    }
    for (at, entry) in mapping.entries.iter().enumerate().skip(known.len()) {
        known.insert(entry.key.clone(), at);
    }
    known.get(key).and_then(|at| mapping.entries.get(*at)).map(|entry| entry.key_span)
}

/// The parser's span of a block list includes trailing white space, so the last item decides the end.
fn last_end(items: &[Node], closing: Span) -> usize {
    let last = items.last().map_or(0, |item| item.span.end());
    if closing.length > 0 { closing.end().max(last) } else { last.max(closing.offset.min(last)) }
}

fn empty(span: Span) -> Node {
    let scalar = Scalar { text: String::new(), kind: ScalarKind::Null, style: ScalarStyle::Plain };
    Node { span, value: NodeValue::Scalar(scalar) }
}

fn error(message: impl Into<String>, span: Span) -> YamlError {
    YamlError { message: message.into(), span }
}

fn core_tag_only(tag: Option<&Tag>, kind: &str, span: Span) -> Result<(), YamlError> {
    match tag {
        Some(tag) if !tag.is_yaml_core_schema_tag(kind) => {
            Err(error(format!("the tag {} is not supported", tag.original()), span))
        }
        _ => Ok(()),
    }
}

fn scalar(
    text: Cow<'_, str>,
    style: granit_parser::ScalarStyle,
    tag: Option<&Tag>,
    span: Span,
) -> Result<Scalar, YamlError> {
    use granit_parser::ScalarStyle as Parsed;
    let style = match style {
        Parsed::Plain => ScalarStyle::Plain,
        Parsed::SingleQuoted | Parsed::DoubleQuoted => ScalarStyle::Quoted,
        Parsed::Literal | Parsed::Folded => ScalarStyle::Block,
    };
    let kind = match tag {
        Some(tag) if tag.is_yaml_core_schema_tag("str") => ScalarKind::String,
        Some(tag) if tag.is_custom() => {
            return Err(error(format!("the tag {} is not supported", tag.original()), span));
        }
        _ if style == ScalarStyle::Plain => plain_kind(&text),
        _ => ScalarKind::String,
    };
    Ok(Scalar { text: text.into_owned(), kind, style })
}

/// YAML 1.2.2, section 10.3.2 (core schema).
fn plain_kind(text: &str) -> ScalarKind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return ScalarKind::Null,
        "true" | "True" | "TRUE" => return ScalarKind::Bool(true),
        "false" | "False" | "FALSE" => return ScalarKind::Bool(false),
        _ => {}
    }
    let starts_number = |b: &u8| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.');
    if !text.as_bytes().first().is_some_and(starts_number) {
        return ScalarKind::String;
    }
    number(text).map_or(ScalarKind::String, ScalarKind::Number)
}

/// The comments of `text`, which starts at byte `offset` of its file, up to the first syntax error. A `#` in a value
/// is not a comment.
pub fn comments(text: &str, offset: usize) -> Vec<Span> {
    let options = granit_parser::options! { emit_comments: true };
    let mut parser = Parser::new_from_str_with_options(text, options);
    let mut found = Vec::new();
    while let Some(Ok((event, span))) = parser.next_event() {
        match event {
            Event::Comment(..) => found.extend(span.byte_range().map(|range| whole(text, range.start).shifted(offset))),
            Event::StreamEnd => break,
            _ => {}
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The comment from `#` to the end of the line.
fn whole(text: &str, at: usize) -> Span {
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    let start = if text[at..].starts_with('#') { at } else { text[..at].rfind('#').unwrap_or(at) };
    Span::new(start, start + text[start..end].trim_end().len())
}

#[cfg(test)]
mod tests;
