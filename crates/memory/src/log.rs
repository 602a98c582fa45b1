//! A log in memory: its bytes, its rows, and the texts of single rows.

use super::row::{EpisodeRow, InvalidLine, LogChunk, parse_rows};
use super::ruleset::Ruleset;
use canonry_model::canon::episode::Episode;
use canonry_text::secrets;
use rayon::prelude::*;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A parsed log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParsedLog {
    /// The whole log.
    pub bytes: Vec<u8>,
    /// The episodes, in order.
    pub rows: Vec<EpisodeRow>,
    /// The lines that are not episodes, in order.
    pub invalid: Vec<InvalidLine>,
}

impl ParsedLog {
    /// Parses a log on all cores.
    pub fn parse(bytes: impl Into<Vec<u8>>, ruleset: Ruleset) -> Self {
        let bytes = bytes.into();
        let pieces = pieces(&bytes, rayon::current_num_threads() * 2);
        let counts: Vec<u32> = pieces.par_iter().map(|piece| line_count(piece)).collect();
        let mut offset = 0;
        let mut lines = 0u32;
        let mut chunks = Vec::with_capacity(pieces.len());
        for (bytes, count) in pieces.into_iter().zip(counts) {
            chunks.push(LogChunk { bytes, offset, lines });
            offset += bytes.len() as u64;
            lines = lines.saturating_add(count);
        }
        let parsed: Vec<_> = chunks.par_iter().map(|chunk| parse_rows(*chunk, ruleset)).collect();
        let mut rows = Vec::with_capacity(parsed.iter().map(Vec::len).sum());
        let mut invalid = Vec::new();
        for line in parsed.into_iter().flatten() {
            match line {
                Ok(row) => rows.push(row),
                Err(line) => invalid.push(line),
            }
        }
        Self { bytes, rows, invalid }
    }

    /// Reads the episode of a row, without secrets: other programs append rows too. `None` if the row is only one for the seed.
    pub fn episode<T>(&self, row: usize, read: impl FnOnce(&Episode<'_>) -> T) -> Option<T> {
        let line = self.line_without_secrets(row);
        // The seed reads bytes that are not UTF-8.
        let line = String::from_utf8_lossy(&line);
        Episode::parse(line.as_bytes()).ok().map(|episode| read(&episode))
    }

    fn line_without_secrets(&self, row: usize) -> Cow<'_, [u8]> {
        let line = &self.bytes[self.rows[row].extent.range()];
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        if let Ok(mut fields) = serde_json::from_slice::<Map<String, Value>>(line)
            && secrets::redact_object(&mut fields)
        {
            return Cow::Owned(serde_json::to_vec(&fields).expect("a map of JSON values has a JSON form"));
        }
        Cow::Borrowed(line)
    }
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
    fn parsing_in_pieces_equals_parsing_at_once() {
        let long = "x".repeat(1 << 20);
        let row = |n: usize| format!("{{\"timestamp\":\"2026-05-01\",\"id\":\"{n}\"}}\n");
        let log = row(1) + "\noops\n" + &(2..50_000).map(row).collect::<String>() + &long + "\n" + row(3).trim_end();
        let got = ParsedLog::parse(log.as_bytes(), Ruleset::Current);
        let whole = parse_rows(LogChunk { bytes: log.as_bytes(), offset: 0, lines: 0 }, Ruleset::Current);
        let (rows, invalid): (Vec<_>, Vec<_>) = whole.into_iter().partition(Result::is_ok);
        assert_eq!(got.rows, rows.into_iter().flatten().collect::<Vec<_>>());
        assert_eq!(got.invalid, invalid.into_iter().filter_map(Result::err).collect::<Vec<_>>());
        assert_eq!(got.invalid.iter().map(|invalid| invalid.line).collect::<Vec<_>>(), [3, 50_002]);
        assert_eq!(ParsedLog::parse("", Ruleset::Current), ParsedLog::default());
    }

    #[test]
    fn texts_have_no_secrets() {
        let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        let log = format!("{{\"timestamp\":\"2026-05-01\",\"action\":\"use {token}\"}}\n");
        let log = ParsedLog::parse(log, Ruleset::Current);
        let action = log.episode(0, |episode| episode.action.as_deref().unwrap_or_default().to_owned()).unwrap();
        assert!(action.starts_with("use ") && !action.contains(&token), "{action}");
    }
}
