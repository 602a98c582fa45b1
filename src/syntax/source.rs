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
    pub fn char_at(text: &str, at: usize) -> Self {
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
    /// The characters before each block of bytes, so that a column on a long line is not counted from its start.
    blocks: OnceLock<Vec<usize>>,
}

/// Bytes of a block.
const BLOCK: usize = 4096;

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
        Self { path, text, lines: OnceLock::new(), blocks: OnceLock::new() }
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
        let column = 1 + if offset - start < BLOCK {
            characters(&self.text.as_bytes()[start..offset])
        } else {
            self.characters_before(offset) - self.characters_before(start)
        };
        Position { line, column }
    }

    /// Where a line starts, counted from 1; the text's end for one behind the last.
    pub fn line_start(&self, line: usize) -> usize {
        let starts = self.lines.get_or_init(|| line_starts(&self.text));
        starts.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len())
    }

    fn characters_before(&self, offset: usize) -> usize {
        let bytes = self.text.as_bytes();
        let blocks = self.blocks.get_or_init(|| {
            let sum = |before: &mut usize, block: &[u8]| Some(std::mem::replace(before, *before + characters(block)));
            bytes.chunks(BLOCK).scan(0, sum).collect()
        });
        let block = (offset / BLOCK).min(blocks.len().saturating_sub(1));
        blocks.get(block).copied().unwrap_or(0) + characters(&bytes[block * BLOCK..offset])
    }

    /// The span of the line that holds `offset`, without its line ending.
    pub fn line_span(&self, offset: usize) -> Span {
        let line = self.position(offset).line;
        let (start, end) = (self.line_start(line), self.line_start(line + 1));
        let text = &self.text[start..end];
        let text = text.strip_suffix('\n').unwrap_or(text).trim_end_matches('\r');
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

/// Every character has one byte that does not go on with another one.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0b1100_0000 != 0b1000_0000).count()
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
    fn columns_of_long_lines_are_those_that_are_counted() {
        let text = format!("a\n{}\n{}", "é1発".repeat(5_000), "x".repeat(3 * BLOCK));
        let s = source(&text);
        for (at, _) in text.char_indices().step_by(97) {
            let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
            assert_eq!(s.position(at).column, 1 + text[start..at].chars().count(), "{at}");
        }
        assert_eq!(s.position(text.len()).column, 1 + 3 * BLOCK);
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
