//! Reads episodic logs of any length in blocks.

use canonry_memory::{EpisodeRow, InvalidLine, LogChunk, Ruleset, parse_rows};
use rayon::prelude::*;
use std::io::{self, Read};
use std::path::Path;

/// Bytes read at once. The buffer grows for longer lines.
const BLOCK: usize = 8 << 20;

/// The content of a log.
#[derive(Debug)]
pub struct LogRead {
    /// The episodes, in order.
    pub rows: Vec<EpisodeRow>,
    /// Invalid lines, in order.
    pub bad: Vec<InvalidLine>,
    /// The bytes that were read.
    pub mark: LogPrefix,
}

/// Identifies the first bytes of a log. Rows that are appended later do not change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogPrefix {
    /// The number of bytes.
    pub size: u64,
    /// Their BLAKE3 hash.
    pub digest: blake3::Hash,
}

impl LogPrefix {
    /// Reads the first `size` bytes of a file. The prefix of a shorter file has its size.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(file: &mut impl Read, size: u64) -> io::Result<Self> {
        let mut hasher = blake3::Hasher::new();
        let size = io::copy(&mut file.take(size), &mut hasher)?;
        Ok(Self { size, digest: hasher.finalize() })
    }
}

/// Reads a log up to its current end.
///
/// # Errors
/// It cannot be read, or is not a file.
pub fn read_log(path: &Path, ruleset: Ruleset) -> io::Result<LogRead> {
    let file = crate::fs::open(path)?;
    let length = file.metadata()?.len();
    read(file.take(length), ruleset)
}

/// The rows of a log in memory.
///
/// # Errors
/// None in practice: reading from memory does not fail.
pub fn rows(text: &[u8]) -> io::Result<Vec<EpisodeRow>> {
    Ok(read(text, Ruleset::Current)?.rows)
}

fn read(mut file: impl Read, ruleset: Ruleset) -> io::Result<LogRead> {
    let mut hasher = blake3::Hasher::new();
    let mut rows = Vec::new();
    let mut bad = Vec::new();
    let mut buffer = vec![0; BLOCK];
    let mut filled = 0;
    let mut offset = 0u64;
    let mut lines = 0u32;
    loop {
        let at_end = fill(&mut file, &mut buffer, &mut filled)?;
        let last = buffer[..filled].iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let end = if at_end { filled } else { last };
        if end == 0 && !at_end {
            buffer.resize(buffer.len() * 2, 0);
            continue;
        }
        let block = LogChunk { bytes: &buffer[..end], offset, lines };
        hasher.update(block.bytes);
        lines = parse_on_all_cores(block, ruleset, &mut rows, &mut bad);
        offset += end as u64;
        buffer.copy_within(end..filled, 0);
        filled -= end;
        if at_end {
            return Ok(LogRead { rows, bad, mark: LogPrefix { size: offset, digest: hasher.finalize() } });
        }
    }
}

/// Fills the buffer; `true` at the end of the file.
fn fill(file: &mut impl Read, buffer: &mut [u8], filled: &mut usize) -> io::Result<bool> {
    while *filled < buffer.len() {
        match file.read(&mut buffer[*filled..]) {
            Ok(0) => return Ok(true),
            Ok(count) => *filled += count,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(false)
}

/// Returns the number of lines up to the end of the block.
fn parse_on_all_cores(
    block: LogChunk<'_>,
    ruleset: Ruleset,
    rows: &mut Vec<EpisodeRow>,
    bad: &mut Vec<InvalidLine>,
) -> u32 {
    let pieces = pieces(block.bytes, rayon::current_num_threads() * 2);
    let counts: Vec<u32> = pieces.par_iter().map(|piece| line_count(piece)).collect();
    let mut offset = block.offset;
    let mut lines = block.lines;
    let mut chunks = Vec::with_capacity(pieces.len());
    for (bytes, count) in pieces.into_iter().zip(counts) {
        chunks.push(LogChunk { bytes, offset, lines });
        offset += bytes.len() as u64;
        lines = lines.saturating_add(count);
    }
    let scanned: Vec<_> = chunks.par_iter().map(|chunk| parse_rows(*chunk, ruleset)).collect();
    for line in scanned.into_iter().flatten() {
        match line {
            Ok(row) => rows.push(row),
            Err(line) => bad.push(line),
        }
    }
    lines
}

fn line_count(bytes: &[u8]) -> u32 {
    let count = bytes.iter().filter(|b| **b == b'\n').count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// About `wanted` pieces that each end at a line end.
fn pieces(mut bytes: &[u8], wanted: usize) -> Vec<&[u8]> {
    let length = bytes.len() / wanted + 1;
    let mut pieces = Vec::with_capacity(wanted);
    while !bytes.is_empty() {
        let from = length.min(bytes.len());
        let end = bytes[from..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |at| from + at + 1);
        let (piece, rest) = bytes.split_at(end);
        pieces.push(piece);
        bytes = rest;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_in_blocks_equals_reading_at_once() {
        let long = "x".repeat(BLOCK + 10);
        let row = |n: usize| format!("{{\"timestamp\":\"2026-05-01\",\"id\":\"{n}\"}}\n");
        let log = row(1) + "\noops\n" + &(2..50_000).map(row).collect::<String>() + &long + "\n" + row(3).trim_end();
        let got = read(log.as_bytes(), Ruleset::Current).unwrap();
        let whole = parse_rows(LogChunk { bytes: log.as_bytes(), offset: 0, lines: 0 }, Ruleset::Current);
        let (rows, bad): (Vec<_>, Vec<_>) = whole.into_iter().partition(Result::is_ok);
        assert_eq!(got.rows, rows.into_iter().flatten().collect::<Vec<_>>());
        assert_eq!(got.bad, bad.into_iter().filter_map(Result::err).collect::<Vec<_>>());
        assert_eq!(got.mark, LogPrefix::read(&mut log.as_bytes(), u64::MAX).unwrap());
        assert_eq!(got.bad.iter().map(|bad| bad.line).collect::<Vec<_>>(), [3, 50_002]);
    }

    #[test]
    fn empty_log_has_no_rows() {
        let got = read(&b""[..], Ruleset::Current).unwrap();
        assert_eq!((got.rows.len(), got.bad.len(), got.mark.size), (0, 0, 0));
    }
}
