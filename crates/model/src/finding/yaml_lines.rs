//! Invalid YAML as a person reads it: line by line. A fix must keep every line `key: value` a key.

use super::{TextEdit, apply_edits};
use canonry_text::node::{Node, NodeValue};
use canonry_text::yaml::{self, ParsedDocument};
use canonry_text::{Source, Span};
use std::collections::HashSet;

/// A line `key: value`, also as an item of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct KeyLine<'a> {
    /// Bytes before the key.
    indent: usize,
    value: &'a str,
}

impl<'a> KeyLine<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let mut rest = line.trim_start();
        while let Some(item) = rest.strip_prefix("- ") {
            rest = item.trim_start();
        }
        let length = rest.find(|c: char| !is_of_key(c)).unwrap_or(rest.len());
        let value = rest[length..].strip_prefix(':')?;
        let is_key = length > 0 && (value.is_empty() || value.starts_with([' ', '\t']));
        is_key.then_some(Self { indent: line.len() - rest.len(), value: value.trim() })
    }

    /// Whether the lines below are text, as after `key: |`.
    fn begins_block(&self) -> bool {
        let header = self.value.split(" #").next().expect("split is never empty").trim_end();
        let mut chars = header.chars();
        matches!(chars.next(), Some('|' | '>')) && chars.all(|c| matches!(c, '+' | '-' | '0'..='9'))
    }
}

/// Whether a character is part of a plain key.
pub fn is_of_key(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

/// Whether a line reads `key: value`.
pub fn is_key_line(line: &str) -> bool {
    KeyLine::parse(line).is_some()
}

/// Parses the YAML with the edits applied. `None` if it is not valid, has a key twice, or if a line that reads `key: value` is
/// part of a text.
pub fn parse_keeping_keys(source: &Source, span: Span, edits: &[TextEdit]) -> Option<ParsedDocument> {
    let text = apply_edits(source.text().get(..span.end())?, edits)?;
    let text = text.get(span.offset..)?;
    let document = yaml::parse(text, span.offset).ok()?;
    (document.duplicates.is_empty() && keeps_keys(text, span.offset, &document.root)).then_some(document)
}

fn keeps_keys(text: &str, offset: usize, root: &Node) -> bool {
    let mut keys = HashSet::new();
    collect_keys(root, &mut keys);
    let mut at = offset;
    let mut block: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        let indent = line.len() - line.trim_start().len();
        if block.is_some_and(|header| line.trim().is_empty() || indent > header) {
            continue;
        }
        block = None;
        let Some(key) = KeyLine::parse(line) else { continue };
        if !keys.contains(&(start + key.indent)) {
            return false;
        }
        if key.begins_block() {
            block = Some(indent);
        }
    }
    true
}

fn collect_keys(node: &Node, keys: &mut HashSet<usize>) {
    match &node.value {
        NodeValue::Mapping(mapping) => {
            for entry in &mapping.entries {
                keys.insert(entry.key_span.offset);
                collect_keys(&entry.value, keys);
            }
        }
        NodeValue::Sequence(items) => items.iter().for_each(|item| collect_keys(item, keys)),
        NodeValue::Scalar(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_text::RepoPath;

    #[test]
    fn a_line_with_a_key_stays_one() {
        for (text, want) in [
            ("a: 1\nb: x\n", true),
            ("a: |\n  b: x\n\n  c: y\nd: 1\n", true),
            ("a: >-  # text\n  b: x\n", true),
            ("list:\n  - id: 1\n    name: x\n  - {id: 2}\n", true),
            ("a: text\n  continued\n", true),
            ("a: https://x.org\n  b:c\n", true),
            ("a: \"x\nb: y\"\n", false),
            ("a: 'x\n  b: y'\nc: 1\n", false),
            ("a: 1\na: 2\n", false),
            ("a: b: c\n", false),
        ] {
            let source = Source::new(RepoPath::from("x.yaml"), text.to_owned());
            let parsed = parse_keeping_keys(&source, Span::new(0, text.len()), &[]);
            assert_eq!(parsed.is_some(), want, "{text}");
        }
    }
}
