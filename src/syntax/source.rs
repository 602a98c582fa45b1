//! A file's text, and positions in it.

use super::RepoPath;
use std::ops::Range;
use std::sync::OnceLock;

/// A range of bytes in a [`Source`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Span {
    /// Bytes before it.
    pub offset: usize,
    /// Its bytes.
    pub length: usize,
}

impl Span {
    /// From `start` to `end`, in bytes; an inverted range becomes empty at `start`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { offset: start, length: end.saturating_sub(start) }
    }

    /// The character that the byte at `at` belongs to; empty at the end of the text and behind it.
    pub fn of_char(text: &str, at: usize) -> Self {
        let start = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let length = text[start..].chars().next().map_or(0, char::len_utf8);
        Self { offset: start, length }
    }

    /// The first byte behind it.
    pub fn end(self) -> usize {
        self.offset + self.length
    }

    /// As a range of bytes.
    pub fn range(self) -> Range<usize> {
        self.offset..self.end()
    }

    /// The same range, `by` bytes further on.
    pub fn shifted(self, by: usize) -> Self {
        Self { offset: self.offset + by, length: self.length }
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}

/// Where a byte stands: line and column from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Characters before it on the line, plus 1.
    pub column: usize,
}

/// The text of one file.
#[derive(Debug)]
pub struct Source {
    path: RepoPath,
    text: String,
    lines: OnceLock<Vec<usize>>,
}

/// Bytes that are not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {byte:#04x} at offset {offset} is not UTF-8")]
pub struct NotUtf8 {
    /// Offset of the first bad byte.
    pub offset: usize,
    /// The bad byte.
    pub byte: u8,
    /// Its line, from 1.
    pub line: usize,
}

impl Source {
    /// Text that is already known to be UTF-8.
    pub fn new(path: RepoPath, text: String) -> Self {
        Self { path, text, lines: OnceLock::new() }
    }

    /// Bytes of a file.
    ///
    /// # Errors
    /// [`NotUtf8`] with the offset of the first bad byte.
    pub fn from_bytes(path: RepoPath, bytes: Vec<u8>) -> Result<Self, NotUtf8> {
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self::new(path, text)),
            Err(error) => {
                let offset = error.utf8_error().valid_up_to();
                let bytes = error.as_bytes();
                let line = 1 + bytes[..offset].iter().filter(|b| **b == b'\n').count();
                Err(NotUtf8 { offset, byte: bytes.get(offset).copied().unwrap_or(0), line })
            }
        }
    }

    /// Where the file lies.
    pub fn path(&self) -> &RepoPath {
        &self.path
    }

    /// The whole text, with a byte order mark where there is one.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of `span`; empty where it does not lie on character borders inside the text.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The position of the byte at `offset`; behind the end it is the end's.
    pub fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        if offset < NEAR_TOP && self.lines.get().is_none() {
            return counted(&self.text[..offset]);
        }
        let starts = self.lines.get_or_init(|| line_starts(&self.text));
        let line = starts.partition_point(|start| *start <= offset).max(1);
        let start = starts.get(line - 1).copied().unwrap_or(0);
        Position { line, column: 1 + self.text[start..offset].chars().count() }
    }

    /// The span of the line that holds `offset`, without its line ending.
    pub fn line_span(&self, offset: usize) -> Span {
        let line = self.position(offset).line;
        let starts = self.lines.get_or_init(|| line_starts(&self.text));
        let start = starts.get(line - 1).copied().unwrap_or(0);
        let rest = &self.text[start..];
        let end = rest.find('\n').map_or(self.text.len(), |at| start + at);
        let text = self.text[start..end].trim_end_matches('\r');
        Span::new(start, start + text.len())
    }
}

/// Bytes from the top within which the lines are counted for each position: most texts are asked for one in their
/// frontmatter, and for no other.
const NEAR_TOP: usize = 2048;

/// The position behind a text.
fn counted(before: &str) -> Position {
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
    Position { line, column: 1 + before[start..].chars().count() }
}

fn line_starts(text: &str) -> Vec<usize> {
    let behind_newlines = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(behind_newlines).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source::new(RepoPath::from("x"), text.to_owned())
    }

    #[test]
    fn columns_count_characters() {
        let s = source("é1\n発b\n");
        assert_eq!(s.position(0), Position { line: 1, column: 1 });
        assert_eq!(s.position(2), Position { line: 1, column: 2 });
        assert_eq!(s.position(4), Position { line: 2, column: 1 });
        assert_eq!(s.position(7), Position { line: 2, column: 2 });
        assert_eq!(s.position(5), Position { line: 2, column: 1 }, "inside a character");
        assert_eq!(s.position(999), Position { line: 3, column: 1 });
    }

    #[test]
    fn empty_text_has_a_first_line() {
        assert_eq!(source("").position(0), Position { line: 1, column: 1 });
        assert_eq!(source("").line_span(0), Span::new(0, 0));
    }

    #[test]
    fn line_spans_leave_out_endings() {
        let s = source("ab\r\ncd");
        assert_eq!(s.slice(s.line_span(1)), "ab");
        assert_eq!(s.slice(s.line_span(5)), "cd");
    }

    #[test]
    fn bad_bytes_are_located() {
        let got = Source::from_bytes(RepoPath::from("x"), b"a\nb\xe9c".to_vec()).map(|_| ());
        assert_eq!(got, Err(NotUtf8 { offset: 3, byte: 0xe9, line: 2 }));
    }
}
