//! The episodic log as a whole: invalid rows, schema violations and duplicates.
//!
//! A log can have a million rows, so a valid row leaves nothing behind but its position. Only `\n` ends a row; a `\r`
//! before it is white space. Blank lines are not rows.

use super::Blob;
use super::blob::BlobError;
use super::capped::Capped;
use super::episode::{Episode, EpisodeError};
use super::schema::{SchemaKind, Schemas, Violation};
use bstr::ByteSlice;
use canonry_text::{Position, RepoPath, Span, json};
use rayon::prelude::*;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

/// Bytes that one thread checks at a time.
const CHUNK: usize = 1 << 20;

/// A parsed log.
#[derive(Debug)]
pub struct EpisodeLog {
    pub path: RepoPath,
    pub document: Result<LogDocument, BlobError>,
}

/// The problems in a log, each list in file order.
#[derive(Debug, Default)]
pub struct LogDocument {
    /// The number of rows, including invalid ones.
    pub rows: usize,
    /// Rows that are not episodes.
    pub unreadable: Capped<InvalidRow>,
    /// Scores and counts outside their range.
    pub scores: Capped<RowViolation>,
    /// Other violations of the built-in schema.
    pub shape: Capped<RowViolation>,
    /// Violations of the team's schema.
    pub team: Capped<RowViolation>,
    /// Rows with the id of an earlier row, but different content.
    pub same_id: Capped<DuplicateRow>,
    /// Rows that equal an earlier row byte for byte.
    pub same_row: Capped<DuplicateRow>,
}

/// A row that is not an episode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidRow {
    pub row: LogRow,
    pub error: EpisodeError,
}

/// A schema violation in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowViolation {
    pub at: Position,
    pub violation: Violation,
}

impl EpisodeLog {
    /// Parses a log.
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
        let (same_row, same_id) = find_duplicates(bytes, &whole.digests);
        Self { same_row, same_id, ..whole.document }
    }
}

/// A range of whole lines, and the number of the first.
struct LineChunk {
    range: Range<usize>,
    line: usize,
}

fn chunks(bytes: &[u8]) -> Vec<LineChunk> {
    let mut chunks = Vec::new();
    let mut start = 0;
    let mut line = 1;
    while start < bytes.len() {
        let least = (start + CHUNK).min(bytes.len());
        let end = bytes[least..].find_byte(b'\n').map_or(bytes.len(), |at| least + at + 1);
        chunks.push(LineChunk { range: start..end, line });
        line += bytes[start..end].iter().filter(|b| **b == b'\n').count();
        start = end;
    }
    chunks
}

/// The result of checking one chunk.
#[derive(Default)]
struct ChunkReport {
    document: LogDocument,
    digests: Vec<RowDigest>,
}

impl ChunkReport {
    fn parse(bytes: &[u8], chunk: LineChunk, schemas: &Schemas) -> Self {
        let mut report = Self::default();
        let mut start = chunk.range.start;
        for (line, text) in (chunk.line..).zip(bytes[chunk.range].split_inclusive(|b| *b == b'\n')) {
            let row = text.strip_suffix(b"\n").unwrap_or(text);
            let row = row.strip_suffix(b"\r").unwrap_or(row);
            if !row.trim_ascii().is_empty() {
                report.check(LogRow { line, span: Span::new(start, start + row.len()) }, row, schemas);
            }
            start += text.len();
        }
        report
    }

    fn check(&mut self, row: LogRow, bytes: &[u8], schemas: &Schemas) {
        self.document.rows += 1;
        match Episode::parse(bytes) {
            Err(error) => self.document.unreadable.push(InvalidRow { row, error }),
            Ok(episode) => {
                self.digests.push(RowDigest::new(row, bytes, episode.id.as_deref()));
                self.validate(row, bytes, schemas);
            }
        }
    }

    /// Most rows are valid, which can be decided without computing spans.
    fn validate(&mut self, row: LogRow, bytes: &[u8], schemas: &Schemas) {
        let json = serde_json::from_slice::<serde_json::Value>(bytes);
        if json.is_ok_and(|json| schemas.allow(SchemaKind::Episode, &json)) {
            return;
        }
        // Bytes that are no text are reported as a row that cannot be read.
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
        self.digests.extend(later.digests);
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

/// A row that cannot be validated, because it is nested too deeply or has too many values.
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

/// The position of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogRow {
    /// The line number, from 1.
    pub line: usize,
    /// The bytes without the line ending.
    pub span: Span,
}

/// The hashes of a row, to find duplicates.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowDigest {
    row: LogRow,
    bytes: u64,
    id: Option<u64>,
}

/// A row that repeats an earlier row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateRow {
    /// The later row.
    pub row: LogRow,
    /// The earlier row.
    pub first: LogRow,
    pub id: Option<String>,
}

impl RowDigest {
    pub fn new(row: LogRow, bytes: &[u8], id: Option<&str>) -> Self {
        Self { row, bytes: hash(bytes), id: id.filter(|id| !id.is_empty()).map(hash) }
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Finds rows that equal an earlier row byte for byte, and other rows that share an id with an earlier row.
pub(super) fn find_duplicates(log: &[u8], digests: &[RowDigest]) -> (Capped<DuplicateRow>, Capped<DuplicateRow>) {
    let bytes = |at: usize| log.get(digests[at].row.span.range()).unwrap_or_default();
    let id = |at: usize| Episode::parse(bytes(at)).ok().and_then(|episode| episode.id.map(|id| id.into_owned()));
    let make = |(first, later): (usize, usize)| DuplicateRow {
        row: digests[later].row,
        first: digests[first].row,
        id: id(later),
    };
    let same = pairs(digests, |digest| Some(digest.bytes));
    let same: Vec<_> = same.into_iter().filter(|(first, later)| bytes(*first) == bytes(*later)).collect();
    let copies: HashSet<usize> = same.iter().map(|(_, later)| *later).collect();
    let same_id = pairs(digests, |digest| digest.id);
    let differing = same_id.into_iter().filter(|(_, later)| !copies.contains(later));
    let differing = differing.filter(|(first, later)| id(*first) == id(*later));
    (collect(same.iter().copied(), make), collect(differing, make))
}

/// The pairs of an earliest row and a later row with the same key, ordered by the later row. Equal hashes only make a
/// pair a candidate.
fn pairs(digests: &[RowDigest], key: impl Fn(&RowDigest) -> Option<u64>) -> Vec<(usize, usize)> {
    let mut keys: Vec<(u64, usize)> =
        digests.iter().enumerate().filter_map(|(at, digest)| key(digest).map(|key| (key, at))).collect();
    keys.par_sort_unstable();
    let runs = keys.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() > 1);
    let mut pairs: Vec<(usize, usize)> =
        runs.flat_map(|run| run[1..].iter().map(|(_, later)| (run[0].1, *later))).collect();
    pairs.sort_unstable_by_key(|(_, later)| *later);
    pairs
}

/// Builds only the duplicates that are kept.
fn collect(
    pairs: impl Iterator<Item = (usize, usize)>,
    make: impl Fn((usize, usize)) -> DuplicateRow,
) -> Capped<DuplicateRow> {
    let mut capped = Capped::default();
    pairs.for_each(|pair| capped.push_with(|| make(pair)));
    capped
}
