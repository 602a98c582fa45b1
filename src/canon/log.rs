//! The episodic log as a whole: which rows are none, break a schema or stand twice.
//!
//! A log may have a million rows, so nothing is kept of a row that is well but where it stands. Rows end at `\n` and
//! nowhere else; a `\r` before it is white space, and blank lines are no rows.

use super::Blob;
use super::blob::BlobError;
use super::capped::Capped;
pub use super::duplicates::{DuplicateRow, LogRow};
use super::duplicates::{RowDigest, find_duplicates};
use super::episode::{Episode, EpisodeError};
use super::plain::is_plain;
use super::schema::{SchemaKind, Schemas, Violation};
use crate::syntax::json;
use crate::syntax::{Position, RepoPath, Span};
use gix::bstr::ByteSlice;
use rayon::prelude::*;
use std::ops::Range;

/// Bytes that one thread judges at a time.
const CHUNK: usize = 1 << 20;

/// A log as far as it could be read.
#[derive(Debug)]
pub struct EpisodeLog {
    /// Where it lies.
    pub path: RepoPath,
    /// What it holds.
    pub document: Result<LogDocument, BlobError>,
}

/// What is wrong with the rows of a log, each list in file order.
#[derive(Debug, Default)]
pub struct LogDocument {
    /// Rows, those that are no episodes included.
    pub rows: usize,
    /// Rows that are no episodes.
    pub unreadable: Capped<InvalidRow>,
    /// Scores and counts outside their range.
    pub scores: Capped<RowViolation>,
    /// What else breaks the built-in schema.
    pub shape: Capped<RowViolation>,
    /// What breaks the team's schema.
    pub team: Capped<RowViolation>,
    /// Rows with the id of an earlier one that says something else.
    pub same_id: Capped<DuplicateRow>,
    /// Rows that are an earlier one, byte for byte.
    pub same_row: Capped<DuplicateRow>,
}

/// A row that is no episode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidRow {
    /// Where.
    pub row: LogRow,
    /// Why.
    pub bad: EpisodeError,
}

/// A place where a row breaks a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowViolation {
    /// Line and column of the violation.
    pub at: Position,
    /// What is broken, and where.
    pub violation: Violation,
}

impl EpisodeLog {
    /// Reads a log.
    pub fn parse(path: RepoPath, blob: Blob, schemas: &Schemas) -> Self {
        let document = match blob {
            Blob::Missing(missing) => Err(missing),
            Blob::Bytes(bytes) => Ok(LogDocument::parse(&bytes, schemas)),
        };
        Self { path, document }
    }
}

impl LogDocument {
    fn parse(bytes: &[u8], schemas: &Schemas) -> Self {
        let parts: Vec<ChunkReport> =
            chunks(bytes).into_par_iter().map(|chunk| ChunkReport::parse(bytes, chunk, schemas)).collect();
        let mut whole = ChunkReport::default();
        parts.into_iter().for_each(|part| whole.append(part));
        let (same_row, same_id) = find_duplicates(bytes, &whole.marks);
        Self { same_row, same_id, ..whole.document }
    }
}

/// Whole lines, and the number of the first.
struct LogChunk {
    range: Range<usize>,
    line: usize,
}

fn chunks(bytes: &[u8]) -> Vec<LogChunk> {
    let mut chunks = Vec::new();
    let (mut start, mut line) = (0, 1);
    while start < bytes.len() {
        let least = (start + CHUNK).min(bytes.len());
        let end = bytes[least..].find_byte(b'\n').map_or(bytes.len(), |at| least + at + 1);
        chunks.push(LogChunk { range: start..end, line });
        line += bytes[start..end].iter().filter(|b| **b == b'\n').count();
        start = end;
    }
    chunks
}

/// What one chunk gives.
#[derive(Default)]
struct ChunkReport {
    document: LogDocument,
    marks: Vec<RowDigest>,
}

impl ChunkReport {
    fn parse(bytes: &[u8], chunk: LogChunk, schemas: &Schemas) -> Self {
        let mut part = Self::default();
        let mut start = chunk.range.start;
        for (line, text) in (chunk.line..).zip(bytes[chunk.range].split_inclusive(|b| *b == b'\n')) {
            let row = text.strip_suffix(b"\n").unwrap_or(text);
            let row = row.strip_suffix(b"\r").unwrap_or(row);
            if !row.trim_ascii().is_empty() {
                part.judge(LogRow { line, span: Span::new(start, start + row.len()) }, row, schemas);
            }
            start += text.len();
        }
        part
    }

    fn judge(&mut self, row: LogRow, bytes: &[u8], schemas: &Schemas) {
        self.document.rows += 1;
        match Episode::parse(bytes) {
            Err(bad) => self.document.unreadable.push(InvalidRow { row, bad }),
            Ok(episode) => {
                self.marks.push(RowDigest::new(row, bytes, episode.id.as_deref()));
                self.validate(row, bytes, schemas);
            }
        }
    }

    /// Most rows are well, which is told without knowing where each value stands.
    fn validate(&mut self, row: LogRow, bytes: &[u8], schemas: &Schemas) {
        if !schemas.has_team(SchemaKind::Episode) && is_plain(bytes) {
            return;
        }
        let json = serde_json::from_slice::<serde_json::Value>(bytes);
        if json.is_ok_and(|json| schemas.allow(SchemaKind::Episode, &json)) {
            return;
        }
        let text = bytes.to_str().unwrap_or_default();
        let violations = match json::parse(text, row.span.offset) {
            Ok(document) => schemas.validate(SchemaKind::Episode, &document.root),
            Err(error) => vec![unreadable(error)],
        };
        for violation in violations {
            let before = bytes.get(..violation.span.offset - row.span.offset).unwrap_or_default();
            let at = Position { line: row.line, column: 1 + before.chars().count() };
            self.list(&violation).push(RowViolation { at, violation });
        }
    }

    fn list(&mut self, violation: &Violation) -> &mut Capped<RowViolation> {
        const NUMBERS: [&str; 3] = ["/pain_score", "/importance", "/recurrence_count"];
        let is_number = NUMBERS.iter().any(|at| violation.is_built_in(at, &["minimum", "maximum"]));
        match (&violation.team, is_number) {
            (Some(_), _) => &mut self.document.team,
            (None, true) => &mut self.document.scores,
            (None, false) => &mut self.document.shape,
        }
    }

    fn append(&mut self, later: Self) {
        self.marks.extend(later.marks);
        let LogDocument { rows, unreadable, scores, shape, team, same_id, same_row } = later.document;
        let document = &mut self.document;
        document.rows += rows;
        document.unreadable.append(unreadable);
        document.scores.append(scores);
        document.shape.append(shape);
        document.team.append(team);
        document.same_id.append(same_id);
        document.same_row.append(same_row);
    }
}

/// An episode that no schema can be held against: it is nested too deep, or has too many values.
fn unreadable(error: json::JsonError) -> Violation {
    Violation {
        limit: None,
        pointer: String::new(),
        keyword: "type".to_owned(),
        key: None,
        span: error.span,
        message: error.message,
        team: None,
    }
}

#[cfg(test)]
#[path = "log_tests.rs"]
mod tests;
