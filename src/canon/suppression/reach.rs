//! What an allowance holds for, by where it stands.

use super::directive::Directive;
use super::model::SuppressionScope;
use crate::syntax::yaml::ParsedDocument;
use crate::syntax::yaml_node::{Node, NodeValue};
use crate::syntax::{Source, Span};

/// The line it stands behind something on, else the next line that is neither blank nor another allowance.
pub(super) fn in_text(source: &Source, all: &[Directive], comment: Span, end: usize) -> SuppressionScope {
    let first = source.line_span(comment.offset);
    let last = source.line_span(comment.end());
    let before = source.slice(Span::new(first.offset, comment.offset));
    let behind = source.slice(Span::new(comment.end(), last.end()));
    if !before.trim().is_empty() || !behind.trim().is_empty() {
        return SuppressionScope::Lines(Span::new(first.offset, last.end()));
    }
    let mut line = last;
    while let Some(next) = next_line(source, line).filter(|next| next.offset < end) {
        line = next;
        let allowance = all.iter().find(|other| source.line_span(other.span.offset).offset == line.offset);
        match allowance {
            Some(other) if is_alone(source, other.span) => line = source.line_span(other.span.end()),
            _ if source.slice(line).trim().is_empty() => {}
            _ => return SuppressionScope::Lines(line),
        }
    }
    SuppressionScope::Nothing
}

fn is_alone(source: &Source, comment: Span) -> bool {
    let before = Span::new(source.line_span(comment.offset).offset, comment.offset);
    let behind = Span::new(comment.end(), source.line_span(comment.end()).end());
    source.slice(before).trim().is_empty() && source.slice(behind).trim().is_empty()
}

fn next_line(source: &Source, line: Span) -> Option<Span> {
    let behind = source.text().get(line.end()..)?;
    let next = line.end() + behind.find('\n')? + 1;
    (next < source.text().len()).then(|| source.line_span(next))
}

/// The lines, and all of the key or item that begins on them.
pub(super) fn with_value(document: Option<&ParsedDocument>, lines: Span) -> Span {
    let end = document.and_then(|document| end_of_first(&document.root, lines));
    Span::new(lines.offset, end.map_or(lines.end(), |end| end.max(lines.end())))
}

/// The end of the outermost key or item that begins in `lines`.
fn end_of_first(node: &Node, lines: Span) -> Option<usize> {
    let begins = |span: Span| lines.range().contains(&span.offset);
    match &node.value {
        NodeValue::Scalar(_) => None,
        NodeValue::Sequence(items) => items.iter().find_map(|item| match begins(item.span) {
            true => Some(item.span.end()),
            false => end_of_first(item, lines),
        }),
        NodeValue::Mapping(mapping) => mapping.entries.iter().find_map(|entry| match begins(entry.key_span) {
            true => Some(entry.value.span.end()),
            false => end_of_first(&entry.value, lines),
        }),
    }
}
