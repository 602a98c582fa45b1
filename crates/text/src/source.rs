//! The text of a file, and positions in it.

use super::RepoPath;
use std::ops::Range;
use std::sync::OnceLock;

/// A range of bytes in a [`Source`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Span {
    /// Bytes before the range.
    pub offset: usize,
    pub length: usize,
}

impl Span {
    /// From `start` to `end` in bytes. An inverted range becomes empty at `start`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { offset: start, length: end.saturating_sub(start) }
    }

    /// The character that contains byte `at`; empty at or after the end of the text.
    pub fn char_at(text: &str, at: usize) -> Self {
        let start = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let length = text[start..].chars().next().map_or(0, char::len_utf8);
        Self { offset: start, length }
    }

    /// The offset after the last byte.
    pub fn end(self) -> usize {
        self.offset + self.length
    }

    pub fn range(self) -> Range<usize> {
        self.offset..self.end()
    }

    /// The same range moved `by` bytes further.
    pub fn shifted(self, by: usize) -> Self {
        Self { offset: self.offset + by, length: self.length }
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}

/// A line and a column, both from 1. Columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// The text of one file.
#[derive(Debug)]
pub struct Source {
    path: RepoPath,
    text: String,
    lines: OnceLock<Vec<usize>>,
    /// The number of characters before each block of bytes, to compute columns on long lines quickly.
    blocks: OnceLock<Vec<usize>>,
}

/// The size of a block in bytes.
const BLOCK: usize = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {byte:#04x} at offset {offset} is not UTF-8")]
pub struct NotUtf8 {
    /// The offset of the first invalid byte.
    pub offset: usize,
    pub byte: u8,
    /// The line, from 1.
    pub line: usize,
}

impl Source {
    pub fn new(path: RepoPath, text: String) -> Self {
        Self { path, text, lines: OnceLock::new(), blocks: OnceLock::new() }
    }

    /// Decodes the bytes of a file.
    ///
    /// # Errors
    /// The bytes are not UTF-8.
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

    pub fn path(&self) -> &RepoPath {
        &self.path
    }

    /// The whole text, including a byte order mark.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of `span`; empty if the span is not on character boundaries inside the text.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The position of the byte at `offset`, or of the end of the text.
    pub fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        if offset < NEAR_TOP && self.lines.get().is_none() {
            return position_after(&self.text[..offset]);
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

    /// The offset of a line, counted from 1; the end of the text for a line after the last.
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

    /// The line that contains `offset`, without its line ending.
    pub fn line_span(&self, offset: usize) -> Span {
        let line = self.position(offset).line;
        let start = self.line_start(line);
        let end = self.line_start(line + 1);
        let text = &self.text[start..end];
        let text = text.strip_suffix('\n').unwrap_or(text).trim_end_matches('\r');
        Span::new(start, start + text.len())
    }
}

/// Positions in the first bytes are counted directly: most texts are asked for one position in their frontmatter only.
const NEAR_TOP: usize = 2048;

/// The position after a text.
fn position_after(before: &str) -> Position {
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
    Position { line, column: 1 + before[start..].chars().count() }
}

/// Counts the bytes that are not UTF-8 continuation bytes.
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
    fn columns_on_long_lines_are_exact() {
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
    fn line_spans_exclude_line_endings() {
        let s = source("ab\r\ncd");
        assert_eq!(s.slice(s.line_span(1)), "ab");
        assert_eq!(s.slice(s.line_span(5)), "cd");
    }

    #[test]
    fn locates_invalid_bytes() {
        let got = Source::from_bytes(RepoPath::from("x"), b"a\nb\xe9c".to_vec()).map(|_| ());
        assert_eq!(got, Err(NotUtf8 { offset: 3, byte: 0xe9, line: 2 }));
    }
}
