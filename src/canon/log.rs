//! The episodic log as a whole: which rows are none, break a schema or stand twice.
//!
//! A log may have a million rows, so nothing is kept of a row that is well but where it stands. Rows end at `\n` and
//! nowhere else; a `\r` before it is white space, and blank lines are no rows.

use super::Blob;
use super::blob::BlobError;
use super::capped::Capped;
use super::episode::{Episode, EpisodeError};
use super::episode_check::is_plain;
use super::schema::{SchemaKind, Schemas, Violation};
use crate::syntax::{Position, RepoPath, Span, json};
use gix::bstr::ByteSlice;
use rayon::prelude::*;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
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

/// Where a row stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogRow {
    /// Its line, from 1.
    pub line: usize,
    /// Its bytes, without the line ending.
    pub span: Span,
}

/// What is kept of a row to find those that equal it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowDigest {
    row: LogRow,
    bytes: u64,
    id: Option<u64>,
}

/// A row that repeats an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateRow {
    /// The later one.
    pub row: LogRow,
    /// The earlier one.
    pub first: LogRow,
    /// The id, where it has one.
    pub id: Option<String>,
}

impl RowDigest {
    /// Of a row.
    pub fn new(row: LogRow, bytes: &[u8], id: Option<&str>) -> Self {
        Self { row, bytes: hash(bytes), id: id.filter(|id| !id.is_empty()).map(hash) }
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Rows that are an earlier one byte for byte, and other rows that have an earlier one's id.
pub(super) fn find_duplicates(log: &[u8], marks: &[RowDigest]) -> (Capped<DuplicateRow>, Capped<DuplicateRow>) {
    let bytes = |at: usize| log.get(marks[at].row.span.range()).unwrap_or_default();
    let id = |at: usize| Episode::parse(bytes(at)).ok().and_then(|episode| episode.id.map(|id| id.into_owned()));
    let make =
        |(first, later): (usize, usize)| DuplicateRow { row: marks[later].row, first: marks[first].row, id: id(later) };
    let same = pairs(marks, |mark| Some(mark.bytes));
    let same: Vec<_> = same.into_iter().filter(|(first, later)| bytes(*first) == bytes(*later)).collect();
    let copies: HashSet<usize> = same.iter().map(|(_, later)| *later).collect();
    let same_id = pairs(marks, |mark| mark.id);
    let differing = same_id.into_iter().filter(|(_, later)| !copies.contains(later));
    let differing = differing.filter(|(first, later)| id(*first) == id(*later));
    (collect(same.iter().copied(), make), collect(differing, make))
}

/// Each mark whose key an earlier one has, with the earliest such, by position. Equal hashes are only a reason to look.
fn pairs(marks: &[RowDigest], key: impl Fn(&RowDigest) -> Option<u64>) -> Vec<(usize, usize)> {
    let mut keys: Vec<(u64, usize)> =
        marks.iter().enumerate().filter_map(|(at, mark)| key(mark).map(|key| (key, at))).collect();
    keys.par_sort_unstable();
    let runs = keys.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() > 1);
    let mut pairs: Vec<(usize, usize)> =
        runs.flat_map(|run| run[1..].iter().map(|(_, later)| (run[0].1, *later))).collect();
    pairs.sort_unstable_by_key(|(_, later)| *later);
    pairs
}

/// Only what is kept is made.
fn collect(
    pairs: impl Iterator<Item = (usize, usize)>,
    make: impl Fn((usize, usize)) -> DuplicateRow,
) -> Capped<DuplicateRow> {
    let mut few = Capped::default();
    pairs.for_each(|pair| few.push_with(|| make(pair)));
    few
}
