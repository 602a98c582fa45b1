//! A fast parser for the part of YAML in which people and tools write plans, skills and workflows: block mappings and
//! block lists, lists and mappings in one line such as `[a, b]`, values in one line, and comments.
//!
//! A plan of 10,000 steps takes `granit-parser` about 150 ms and this parser 30 ms. It returns `None` as soon as it meets
//! anything else, and for every text that could be invalid: anchors, tags, tabs, several documents, values over several
//! lines. `granit-parser` then parses the text from the start. Property tests compare the two: where this parser returns a
//! document, nodes, spans and duplicate keys are equal to those from `granit-parser`.

use super::{DuplicateKey, ParsedDocument, first_of, plain_kind};
use crate::syntax::Span;
use crate::syntax::node::{Mapping, MappingEntry, Node, NodeValue, Scalar, ScalarKind, ScalarStyle};
use std::collections::HashMap;

/// Less than the general parser accepts. Deeper texts are left to it.
const MAX_DEPTH: usize = 32;
/// Less than the 1024 characters to which the specification limits a key.
const MAX_KEY: usize = 1000;
/// Allocated for a collection in advance at most.
const MAX_EXPECTED: usize = 64;

/// Parses `text`, which starts at byte `offset` of its file, if it is within the subset and has at most `max_nodes` nodes.
pub(super) fn parse(text: &str, offset: usize, max_nodes: usize) -> Option<ParsedDocument> {
    if !has_plain_characters(text) {
        return None;
    }
    let mut parser = BlockParser {
        text,
        bytes: text.as_bytes(),
        offset,
        at: 0,
        line_start: 0,
        nodes_left: max_nodes,
        duplicates: Vec::new(),
        lengths: [0; MAX_DEPTH + 1],
    };
    parser.skip_to_content();
    let root = parser.block(0)?;
    parser.is_at_end().then_some(ParsedDocument { root, duplicates: parser.duplicates })
}

/// Whether no character is a control character (line feeds excepted), or treated specially by YAML outside ASCII.
fn has_plain_characters(text: &str) -> bool {
    let is_plain = |byte: u8| byte == b'\n' || (byte >= b' ' && byte != 0x7f);
    let is_special =
        |c: char| matches!(c, '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    text.bytes().all(is_plain) && (text.is_ascii() || !text.contains(is_special))
}

struct BlockParser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    offset: usize,
    at: usize,
    /// The start of the line of `at`.
    line_start: usize,
    nodes_left: usize,
    duplicates: Vec<DuplicateKey>,
    /// The length of the last collection at each depth. The next one often has the same, so that it is allocated once.
    lengths: [usize; MAX_DEPTH + 1],
}

/// What holds a value in block style.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holder {
    Mapping,
    Sequence,
}

/// Where a scalar is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    Block,
    Flow,
}

/// A scalar with its text in the file.
struct Spanned {
    scalar: Scalar,
    span: Span,
}

impl BlockParser<'_> {
    /// The list or mapping that starts at the current position.
    fn block(&mut self, depth: usize) -> Option<Node> {
        match self.is_at_dash() {
            true => self.sequence(depth),
            false => {
                let first = self.scalar(Context::Block)?;
                self.mapping(first, depth)
            }
        }
    }

    fn sequence(&mut self, depth: usize) -> Option<Node> {
        self.count(depth)?;
        let (start, column) = (self.at, self.column());
        let mut items = Vec::with_capacity(self.expected_length(depth));
        loop {
            self.at += 1;
            items.push(self.value(column, Holder::Sequence, depth + 1)??);
            if !(self.is_at(column) && self.is_at_dash()) {
                break;
            }
        }
        self.lengths[depth] = items.len();
        let end = items.last().map_or(start, |item| item.span.end() - self.offset);
        self.closed(column, start, end, NodeValue::Sequence(items))
    }

    /// A list in the column of its key. Its span from `granit-parser` starts at the first item, or at a comment before that.
    fn sequence_below_key(&mut self, depth: usize) -> Option<Node> {
        let dash = self.at;
        let list = self.sequence(depth)?;
        let first = list.as_sequence()?.first()?.span.offset;
        let is_same_line = !self.bytes.get(dash..first - self.offset)?.contains(&b'\n');
        is_same_line.then(|| Node { span: Span::new(first, list.span.end()), value: list.value })
    }

    /// The mapping whose first key has just been read.
    fn mapping(&mut self, first: Spanned, depth: usize) -> Option<Node> {
        self.count(depth)?;
        let start = first.span.offset - self.offset;
        let column = start - self.line_start;
        let mut mapping = Mapping { entries: Vec::with_capacity(self.expected_length(depth)), flow: false };
        let mut known = HashMap::new();
        let mut key = first;
        loop {
            let colon = self.at;
            self.separator(&key, depth)?;
            let value = match self.value(column, Holder::Mapping, depth + 1)? {
                Some(value) => value,
                None => self.empty(colon, depth)?,
            };
            self.add(&mut mapping, &mut known, key, value);
            if !self.is_at(column) || self.is_at_dash() {
                break;
            }
            key = self.scalar(Context::Block)?;
        }
        self.lengths[depth] = mapping.entries.len();
        let end = mapping.entries.last().map_or(start, |entry| entry.value.span.end() - self.offset);
        self.closed(column, start, end, NodeValue::Mapping(mapping))
    }

    /// A collection in block style, after which a line must not be indented deeper.
    fn closed(&self, column: usize, start: usize, end: usize, value: NodeValue) -> Option<Node> {
        (self.is_at_end() || self.column() <= column).then(|| Node { span: self.span(start, end), value })
    }

    /// The value after a `-` or `:`, if there is one, and the way to the next line with content.
    fn value(&mut self, column: usize, holder: Holder, depth: usize) -> Option<Option<Node>> {
        let marker_end = self.at;
        self.skip_spaces();
        let node = match self.peek() {
            None | Some(b'\n' | b'#') => {
                self.end_line(marker_end)?;
                return match () {
                    () if !self.is_at_end() && self.column() > column => self.block(depth).map(Some),
                    () if holder == Holder::Mapping && self.is_at(column) && self.is_at_dash() => {
                        self.sequence_below_key(depth).map(Some)
                    }
                    () => Some(None),
                };
            }
            _ if self.at == marker_end => return None,
            Some(b'[' | b'{') => self.flow(depth)?,
            Some(b'-') if self.is_at_dash() => {
                return (holder == Holder::Sequence).then(|| self.sequence(depth).map(Some)).flatten();
            }
            Some(_) => {
                let scalar = self.scalar(Context::Block)?;
                if self.peek() == Some(b':') {
                    return (holder == Holder::Sequence).then(|| self.mapping(scalar, depth).map(Some)).flatten();
                }
                self.scalar_node(scalar, depth)?
            }
        };
        self.end_line(self.at)?;
        // A deeper line would continue the value.
        (self.is_at_end() || self.column() <= column).then_some(Some(node))
    }

    /// A list or mapping in one line.
    fn flow(&mut self, depth: usize) -> Option<Node> {
        match self.peek()? {
            b'[' => self.flow_sequence(depth),
            b'{' => self.flow_mapping(depth),
            _ => {
                let scalar = self.scalar(Context::Flow)?;
                self.scalar_node(scalar, depth)
            }
        }
    }

    fn flow_sequence(&mut self, depth: usize) -> Option<Node> {
        self.count(depth)?;
        let start = self.at;
        let mut items = Vec::with_capacity(self.expected_length(depth));
        self.at += 1;
        self.skip_spaces();
        while !(items.is_empty() && self.peek()? == b']') {
            items.push(self.flow(depth + 1)?);
            if self.is_last_in_flow(b']')? {
                break;
            }
        }
        self.at += 1;
        self.lengths[depth] = items.len();
        Some(Node { span: self.span(start, self.at), value: NodeValue::Sequence(items) })
    }

    fn flow_mapping(&mut self, depth: usize) -> Option<Node> {
        self.count(depth)?;
        let start = self.at;
        let mut mapping = Mapping { entries: Vec::with_capacity(self.expected_length(depth)), flow: true };
        let mut known = HashMap::new();
        self.at += 1;
        self.skip_spaces();
        while !(mapping.entries.is_empty() && self.peek()? == b'}') {
            let key = self.scalar(Context::Flow)?;
            self.separator(&key, depth)?;
            if self.peek()? != b' ' {
                return None;
            }
            self.skip_spaces();
            let value = self.flow(depth + 1)?;
            self.add(&mut mapping, &mut known, key, value);
            if self.is_last_in_flow(b'}')? {
                break;
            }
        }
        self.at += 1;
        self.lengths[depth] = mapping.entries.len();
        Some(Node { span: self.span(start, self.at), value: NodeValue::Mapping(mapping) })
    }

    /// Whether `close` comes next; otherwise moves behind the comma to the next item.
    fn is_last_in_flow(&mut self, close: u8) -> Option<bool> {
        self.skip_spaces();
        match self.peek()? {
            byte if byte == close => Some(true),
            b',' => {
                self.at += 1;
                self.skip_spaces();
                Some(false)
            }
            _ => None,
        }
    }

    /// The colon after a key.
    fn separator(&mut self, key: &Spanned, depth: usize) -> Option<()> {
        self.count(depth)?;
        if self.peek()? != b':' || key.span.length > MAX_KEY {
            return None;
        }
        self.at += 1;
        Some(())
    }

    fn add(&mut self, mapping: &mut Mapping, known: &mut HashMap<String, usize>, key: Spanned, value: Node) {
        let Spanned { scalar: Scalar { text: key, .. }, span: key_span } = key;
        match first_of(&key, mapping, known) {
            Some(first) => self.duplicates.push(DuplicateKey { key, span: key_span, first }),
            None => mapping.entries.push(MappingEntry { key, key_span, value }),
        }
    }

    /// What `granit-parser` makes of a missing value.
    fn empty(&mut self, colon: usize, depth: usize) -> Option<Node> {
        self.count(depth)?;
        let scalar = Scalar { text: "~".to_owned(), kind: ScalarKind::Null, style: ScalarStyle::Plain };
        Some(Node { span: self.span(colon, colon), value: NodeValue::Scalar(scalar) })
    }

    fn scalar_node(&mut self, scalar: Spanned, depth: usize) -> Option<Node> {
        self.count(depth)?;
        Some(Node { span: scalar.span, value: NodeValue::Scalar(scalar.scalar) })
    }

    /// A scalar in one line, up to its last character.
    fn scalar(&mut self, context: Context) -> Option<Spanned> {
        let start = self.at;
        let (text, style) = match self.peek()? {
            b'\'' => (self.single_quoted()?, ScalarStyle::Quoted),
            b'"' => (self.double_quoted()?, ScalarStyle::Quoted),
            _ => (self.plain(context)?.to_owned(), ScalarStyle::Plain),
        };
        let kind = if style == ScalarStyle::Plain { plain_kind(&text) } else { ScalarKind::String };
        Some(Spanned { scalar: Scalar { text, kind, style }, span: self.span(start, self.at) })
    }

    fn plain(&mut self, context: Context) -> Option<&str> {
        let start = self.at;
        let rest = &self.bytes[start..];
        let may_start = match rest.first()? {
            b'-' => rest.get(1).is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'/')),
            b'?' | b':' | b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\'' | b'"'
            | b'%' | b'@' | b'`' => false,
            _ => true,
        };
        // These begin or end a document.
        if !may_start || rest.starts_with(b"---") || rest.starts_with(b"...") {
            return None;
        }
        let in_flow = context == Context::Flow;
        let mut end = start;
        for (at, byte) in rest.iter().enumerate() {
            let next = || rest.get(at + 1).copied().unwrap_or(b'\n');
            match byte {
                b'\n' => break,
                b' ' if next() == b'#' => break,
                b' ' => continue,
                b',' | b'[' | b']' | b'{' | b'}' if in_flow => break,
                b':' if matches!(next(), b' ' | b'\n') => break,
                b':' if in_flow && matches!(next(), b',' | b'[' | b']' | b'{' | b'}') => break,
                _ => end = start + at + 1,
            }
        }
        self.at = end;
        self.text.get(start..end)
    }

    fn single_quoted(&mut self) -> Option<String> {
        let mut text = String::new();
        loop {
            let part = self.up_to(|byte| byte == b'\'')?;
            text.push_str(part);
            if self.bytes.get(self.at + 1) != Some(&b'\'') {
                self.at += 1;
                return Some(text);
            }
            text.push('\'');
            self.at += 1;
        }
    }

    fn double_quoted(&mut self) -> Option<String> {
        let mut text = String::new();
        loop {
            let part = self.up_to(|byte| matches!(byte, b'"' | b'\\'))?;
            text.push_str(part);
            if self.peek()? == b'"' {
                self.at += 1;
                return Some(text);
            }
            self.at += 1;
            text.push(match self.peek()? {
                escaped @ (b'"' | b'\\' | b'/') => char::from(escaped),
                b'n' => '\n',
                b't' => '\t',
                _ => return None,
            });
        }
    }

    /// Skips the current byte and returns the text before the next byte that ends it in the same line, which becomes current.
    fn up_to(&mut self, is_end: fn(u8) -> bool) -> Option<&str> {
        let start = self.at + 1;
        let length = self.bytes.get(start..)?.iter().position(|byte| is_end(*byte) || *byte == b'\n')?;
        self.at = start + length;
        if self.peek()? == b'\n' {
            return None;
        }
        self.text.get(start..self.at)
    }

    /// Moves from the end of a value or marker to the next line with content. Only a comment may come before it.
    fn end_line(&mut self, content_end: usize) -> Option<()> {
        self.skip_spaces();
        match self.peek() {
            None => {}
            Some(b'\n') => {}
            Some(b'#') if self.at > content_end => self.skip_line(),
            Some(_) => return None,
        }
        if self.peek().is_some() {
            self.at += 1;
            self.line_start = self.at;
            self.skip_to_content();
        }
        Some(())
    }

    /// Moves from the start of a line to the first content, over empty lines and comments.
    fn skip_to_content(&mut self) {
        loop {
            self.skip_spaces();
            match self.peek() {
                Some(b'#') => self.skip_line(),
                Some(b'\n') => {
                    self.at += 1;
                    self.line_start = self.at;
                }
                _ => return,
            }
        }
    }

    fn skip_spaces(&mut self) {
        while self.peek() == Some(b' ') {
            self.at += 1;
        }
    }

    fn skip_line(&mut self) {
        while self.peek().is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
    }

    fn expected_length(&self, depth: usize) -> usize {
        self.lengths[depth].min(MAX_EXPECTED)
    }

    /// Counts a node or key.
    fn count(&mut self, depth: usize) -> Option<()> {
        self.nodes_left = self.nodes_left.checked_sub(1)?;
        (depth <= MAX_DEPTH).then_some(())
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn column(&self) -> usize {
        self.at - self.line_start
    }

    fn is_at(&self, column: usize) -> bool {
        !self.is_at_end() && self.column() == column
    }

    fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// Whether a list item starts here.
    fn is_at_dash(&self) -> bool {
        self.peek() == Some(b'-') && matches!(self.bytes.get(self.at + 1), None | Some(b' ' | b'\n'))
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(start, end).shifted(self.offset)
    }
}

#[cfg(test)]
#[path = "block_tests.rs"]
mod tests;
