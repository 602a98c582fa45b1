//! Rows of a log that stand twice.

use super::capped::Capped;
use super::episode::Episode;
use crate::syntax::Span;
use rayon::prelude::*;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

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
