//! Excerpts of files for the terminal: the lines around a span, without control characters.
//!
//! An excerpt is found with the line index of the file and has a maximum length, so the time for a file with a hundred
//! thousand findings is proportional to their number.

use crate::syntax::{Position, Source, Span};
use std::borrow::Cow;

/// Bytes shown on each side of the marked span. Lines written by hand are shorter.
const MAX_CONTEXT: usize = 1000;
/// Bytes that can be marked.
const MAX_MARKED: usize = 2000;

/// The text of a file with every control character replaced by as many printable bytes, so that all spans stay valid.
pub(super) struct PrintableSource<'a> {
    pub source: &'a Source,
    text: Cow<'a, str>,
}

/// Part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    pub span: Span,
    /// The position of its first byte.
    pub start: Position,
    /// The number of lines it touches.
    pub lines: usize,
}

impl<'a> PrintableSource<'a> {
    pub fn new(source: &'a Source) -> Self {
        Self { source, text: printable(source.text()) }
    }

    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The part of a span that is marked.
    pub fn marked_part(&self, span: Span) -> Span {
        let end = span.end().min(self.text.len());
        if span.length > MAX_MARKED {
            Span::new(span.offset, self.floor(span.offset + MAX_MARKED))
        } else {
            Span::new(span.offset.min(end), end)
        }
    }

    /// Whether only a part of the line at an offset is shown.
    pub fn is_truncated(&self, offset: usize) -> bool {
        let line = self.source.position(offset).line;
        self.source.line_start(line + 1) - self.source.line_start(line) > MAX_CONTEXT
    }

    /// A span with the lines before and after it, up to the maximum length.
    pub fn excerpt(&self, span: Span, before: usize, after: usize) -> Excerpt {
        let first = self.source.position(span.offset).line;
        let last = self.source.position(span.end().saturating_sub(1).max(span.offset)).line;
        let start = if before == 0 {
            span.offset
        } else {
            self.start(span.offset, [first.saturating_sub(before).max(1), first])
        };
        let end = if after == 0 { span.end() } else { self.end(span.end(), [last + after, last]) };
        let position = self.source.position(start);
        let lines = self.source.position(end.saturating_sub(1).max(start)).line - position.line + 1;
        Excerpt { span: Span::new(start, end), start: position, lines }
    }

    /// The start of the first of two lines within the maximum context, otherwise the start of the context.
    fn start(&self, offset: usize, lines: [usize; 2]) -> usize {
        let starts = lines.map(|line| self.source.line_start(line));
        let near = starts.into_iter().find(|start| offset - start <= MAX_CONTEXT);
        near.unwrap_or_else(|| self.floor(offset - MAX_CONTEXT))
    }

    fn end(&self, offset: usize, lines: [usize; 2]) -> usize {
        let ends = lines.map(|line| self.source.line_start(line + 1).max(offset));
        let near = ends.into_iter().find(|end| end - offset <= MAX_CONTEXT);
        near.unwrap_or_else(|| self.floor(offset + MAX_CONTEXT))
    }

    fn floor(&self, mut offset: usize) -> usize {
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
}

/// Replaces control characters, which could move the cursor or worse, by the same number of bytes.
fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) && !text.contains('\r') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let is_lone = c == '\r' && characters.peek() != Some(&'\n');
        match c.len_utf8() {
            1 if is_control(c) || is_lone => out.push('?'),
            2 if is_control(c) => out.push('¿'),
            _ => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// A text of one line with its control characters escaped.
pub(super) fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    text.chars().map(|c| if is_control(c) { c.escape_default().to_string() } else { c.to_string() }).collect()
}

fn is_control(c: char) -> bool {
    char::is_control(c) && !matches!(c, '\n' | '\t' | '\r')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::RepoPath;
    use proptest::prelude::*;

    fn source(text: impl Into<String>) -> Source {
        Source::new(RepoPath::from("x"), text.into())
    }

    #[test]
    fn excerpts_have_whole_lines() {
        let source = source("one\ntwo\nthree\nfour\n");
        let text = PrintableSource::new(&source);
        let excerpt = |offset, length| {
            let excerpt = text.excerpt(Span { offset, length }, 1, 1);
            (text.slice(excerpt.span).to_owned(), excerpt.start.line, excerpt.lines)
        };
        assert_eq!(excerpt(4, 3), ("one\ntwo\nthree\n".to_owned(), 1, 3));
        assert_eq!(excerpt(0, 0), ("one\ntwo\n".to_owned(), 1, 2));
        assert_eq!(excerpt(9, 6), ("two\nthree\nfour\n".to_owned(), 2, 3));
        assert_eq!(excerpt(19, 0), ("four\n".to_owned(), 4, 1));
    }

    #[test]
    fn excerpt_length_does_not_depend_on_file_length() {
        let line = "A [link](to/nowhere.md) of many.\n";
        let source = source(line.repeat(100_000));
        let text = PrintableSource::new(&source);
        let places = (0..100_000).map(|at| Span { offset: at * line.len() + 2, length: 21 });
        let most = places.map(|span| text.excerpt(span, 1, 1).span.length).max();
        assert_eq!(most, Some(3 * line.len()));
    }

    #[test]
    fn long_lines_are_truncated() {
        let source = source(format!("short\n{}\nshort\n", "é word ".repeat(100_000)));
        let text = PrintableSource::new(&source);
        for offset in (6..source.text().len()).step_by(9_999).filter(|at| source.text().is_char_boundary(*at)) {
            let excerpt = text.excerpt(Span { offset, length: 3 }, 1, 1);
            assert!(excerpt.span.length <= 2 * MAX_CONTEXT + 3, "{excerpt:?}");
            assert!(excerpt.span.offset <= offset && offset <= excerpt.span.end(), "{excerpt:?}");
        }
        assert!(text.marked_part(Span { offset: 6, length: 500_000 }).length <= MAX_MARKED);
        assert!(text.is_truncated(500) && !text.is_truncated(2));
    }

    #[test]
    fn control_characters_are_replaced() {
        let text = "a\u{1b}[31m\0\u{7f}\u{9b}2J\r\nb\rc\td\n";
        assert_eq!(printable(text), "a?[31m??¿2J\r\nb?c\td\n");
        assert_eq!(escape("a\u{1b}[31m"), "a\\u{1b}[31m");
    }

    proptest! {
        #[test]
        fn excerpts_contain_their_span(text in "[a-z\\né\u{1b}\r]{0,60}", at in 0usize..70, length in 0usize..20) {
            let source = source(text.clone());
            let printable = PrintableSource::new(&source);
            prop_assert_eq!(printable.text.len(), text.len());
            let floor = |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
            let span = Span::new(floor(at), floor(at + length));
            let excerpt = printable.excerpt(span, 1, 1);
            prop_assert!(excerpt.span.offset <= span.offset && span.end() <= excerpt.span.end());
            prop_assert!(printable.text.get(excerpt.span.range()).is_some());
        }
    }
}
