//! How well rows are put together, held against what a generator drew.

use canonry::canon::timestamp::Timestamp;
use canonry::memory::{Chunk, Night, Pattern, Policy, Row, Ruleset, recurring, scan};
use std::collections::HashMap;

/// Of pairs of rows.
pub struct Quality {
    /// Of those that are put together, the part that was drawn from one pattern.
    pub precision: f64,
    /// Of those that were drawn from one pattern, the part that is put together.
    pub recall: f64,
    /// What was put together.
    pub patterns: usize,
}

/// The rows of a log without bad ones.
pub fn rows_of(log: &[u8]) -> Vec<Row> {
    scan(Chunk { bytes: log, offset: 0, lines: 0 }, Ruleset::Current).into_iter().flatten().collect()
}

/// What recurs.
pub fn patterns(rows: &[Row]) -> Vec<Pattern> {
    let now = Timestamp::parse("2026-05-01T03:00:00Z").unwrap();
    recurring(rows, &Night { now, policy: Policy::default(), ruleset: Ruleset::Current })
}

/// Of a log that `gen_episodes.py` made. What it draws from one pattern begins the same up to ` service`; behind that stand
/// tails. All else is of one pattern where the actions are the same.
pub fn quality(log: &[u8]) -> Quality {
    let labels: Vec<String> = std::str::from_utf8(log).unwrap().lines().map(label).collect();
    let rows = rows_of(log);
    assert_eq!(rows.len(), labels.len(), "the generator makes no bad rows");
    let patterns = patterns(&rows);
    let drawn = pairs_by(labels.iter().map(String::as_str));
    let found: f64 = patterns.iter().map(|pattern| pairs(pattern.rows.len())).sum();
    let right: f64 = patterns.iter().map(|p| pairs_by(p.rows.iter().map(|at| labels[*at].as_str()))).sum();
    Quality { precision: right / found, recall: right / drawn, patterns: patterns.len() }
}

fn pairs(of: usize) -> f64 {
    (of * of.saturating_sub(1) / 2) as f64
}

fn pairs_by<'a>(labels: impl Iterator<Item = &'a str>) -> f64 {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    labels.for_each(|label| *counts.entry(label).or_default() += 1);
    counts.into_values().map(pairs).sum()
}

fn label(row: &str) -> String {
    let row: serde_json::Value = serde_json::from_str(row).unwrap();
    let (skill, action) = (row["skill"].as_str().unwrap(), row["action"].as_str().unwrap());
    let base = action.find(" service").map_or(action, |at| &action[..at]);
    format!("{skill}::{base}")
}
