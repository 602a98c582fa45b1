//! What a person is shown of a file: the lines around a place, and nothing that a terminal would obey.
//!
//! Each excerpt is found by the file's line index and is of bounded length, so that a file of a hundred thousand findings
//! takes time in proportion to them.

use crate::syntax::{Position, Source, Span};
use std::borrow::Cow;

/// Bytes that are shown at most on either side of what is marked; real lines are shorter.
const REACH: usize = 1000;
/// Bytes that are marked at most.
const MARKED: usize = 2000;

/// A file's text, byte for byte as long as it is, with other characters in the place of control characters.
pub(super) struct Legible<'a> {
    pub source: &'a Source,
    text: Cow<'a, str>,
}

/// Some of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    pub span: Span,
    /// Where it begins.
    pub start: Position,
    /// Its lines.
    pub lines: usize,
}

impl<'a> Legible<'a> {
    pub fn of(source: &'a Source) -> Self {
        Self { source, text: legible(source.text()) }
    }

    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// As much of a span as is marked.
    pub fn marked(&self, span: Span) -> Span {
        let end = span.end().min(self.text.len());
        if span.length > MARKED {
            Span::new(span.offset, self.floor(span.offset + MARKED))
        } else {
            Span::new(span.offset.min(end), end)
        }
    }

    /// Whether a place stands on a line of which only a part is shown.
    pub fn is_cut(&self, offset: usize) -> bool {
        let line = self.source.position(offset).line;
        self.source.line_start(line + 1) - self.source.line_start(line) > REACH
    }

    /// A span with lines before and behind it; only as many bytes as are shown.
    pub fn around(&self, span: Span, before: usize, behind: usize) -> Excerpt {
        let first = self.source.position(span.offset).line;
        let last = self.source.position(span.end().saturating_sub(1).max(span.offset)).line;
        let start = if before == 0 {
            span.offset
        } else {
            self.start(span.offset, [first.saturating_sub(before).max(1), first])
        };
        let end = if behind == 0 { span.end() } else { self.end(span.end(), [last + behind, last]) };
        let position = self.source.position(start);
        let lines = self.source.position(end.saturating_sub(1).max(start)).line - position.line + 1;
        Excerpt { span: Span::new(start, end), start: position, lines }
    }

    /// The start of the first of two lines that is near enough, else as far as is near.
    fn start(&self, offset: usize, lines: [usize; 2]) -> usize {
        let starts = lines.map(|line| self.source.line_start(line));
        let near = starts.into_iter().find(|start| offset - start <= REACH);
        near.unwrap_or_else(|| self.floor(offset - REACH))
    }

    fn end(&self, offset: usize, lines: [usize; 2]) -> usize {
        let ends = lines.map(|line| self.source.line_start(line + 1).max(offset));
        let near = ends.into_iter().find(|end| end - offset <= REACH);
        near.unwrap_or_else(|| self.floor(offset + REACH))
    }

    fn floor(&self, mut offset: usize) -> usize {
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
}

/// The same number of bytes, so that all spans hold: a control character would move the cursor, or more.
fn legible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) && !text.contains('\r') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let is_lone = c == '\r' && characters.peek() != Some(&'\n');
        match c.len_utf8() {
            1 if is_obeyed(c) || is_lone => out.push('?'),
            2 if is_obeyed(c) => out.push('¿'),
            _ => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// A text of one line, with what a terminal would obey written out.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    text.chars().map(|c| if is_obeyed(c) { c.escape_default().to_string() } else { c.to_string() }).collect()
}

fn is_obeyed(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t' | '\r')
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
    fn shows_whole_lines() {
        let source = source("one\ntwo\nthree\nfour\n");
        let text = Legible::of(&source);
        let around = |offset, length| {
            let excerpt = text.around(Span { offset, length }, 1, 1);
            (text.slice(excerpt.span).to_owned(), excerpt.start.line, excerpt.lines)
        };
        assert_eq!(around(4, 3), ("one\ntwo\nthree\n".to_owned(), 1, 3));
        assert_eq!(around(0, 0), ("one\ntwo\n".to_owned(), 1, 2));
        assert_eq!(around(9, 6), ("two\nthree\nfour\n".to_owned(), 2, 3));
        assert_eq!(around(19, 0), ("four\n".to_owned(), 4, 1));
    }

    /// What is read for a finding does not grow with the file: a hundred thousand findings in a hundred thousand lines.
    #[test]
    fn what_is_shown_does_not_grow_with_the_file() {
        let line = "A [link](to/nowhere.md) of many.\n";
        let source = source(line.repeat(100_000));
        let text = Legible::of(&source);
        let places = (0..100_000).map(|at| Span { offset: at * line.len() + 2, length: 21 });
        let most = places.map(|span| text.around(span, 1, 1).span.length).max();
        assert_eq!(most, Some(3 * line.len()));
    }

    #[test]
    fn a_long_line_is_shown_in_part() {
        let source = source(format!("short\n{}\nshort\n", "é word ".repeat(100_000)));
        let text = Legible::of(&source);
        for offset in (6..source.text().len()).step_by(9_999).filter(|at| source.text().is_char_boundary(*at)) {
            let excerpt = text.around(Span { offset, length: 3 }, 1, 1);
            assert!(excerpt.span.length <= 2 * REACH + 3, "{excerpt:?}");
            assert!(excerpt.span.offset <= offset && offset <= excerpt.span.end(), "{excerpt:?}");
        }
        assert!(text.marked(Span { offset: 6, length: 500_000 }).length <= MARKED);
        assert!(text.is_cut(500) && !text.is_cut(2));
    }

    #[test]
    fn nothing_is_shown_that_a_terminal_obeys() {
        let text = "a\u{1b}[31m\0\u{7f}\u{9b}2J\r\nb\rc\td\n";
        assert_eq!(legible(text), "a?[31m??¿2J\r\nb?c\td\n");
        assert_eq!(escaped("a\u{1b}[31m"), "a\\u{1b}[31m");
    }

    proptest! {
        #[test]
        fn excerpts_hold_what_they_are_around(text in "[a-z\\né\u{1b}\r]{0,60}", at in 0usize..70, length in 0usize..20) {
            let source = source(text.clone());
            let legible = Legible::of(&source);
            prop_assert_eq!(legible.text.len(), text.len());
            let floor = |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
            let span = Span::new(floor(at), floor(at + length));
            let excerpt = legible.around(span, 1, 1);
            prop_assert!(excerpt.span.offset <= span.offset && span.end() <= excerpt.span.end());
            prop_assert!(legible.text.get(excerpt.span.range()).is_some());
        }
    }
}
