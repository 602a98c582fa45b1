//! Precision and recall of the grouping of similar rows, measured on generated logs.

use crate::consolidation::find_patterns;
use crate::{DreamParams, LogChunk, MemoryPolicy, Pattern, Ruleset, parse_rows};
use canonry_model::canon::timestamp::Timestamp;
use canonry_testing::episodes::{self, Episode, Options, Style};
use std::collections::HashMap;

fn patterns(log: &str) -> Vec<Pattern> {
    let rows: Vec<_> = parse_rows(LogChunk { bytes: log.as_bytes(), offset: 0, lines: 0 }, Ruleset::Current);
    let rows: Vec<_> = rows.into_iter().map(Result::unwrap).collect();
    let now = Timestamp::parse(episodes::NOW).unwrap();
    find_patterns(&rows, &DreamParams { now, policy: MemoryPolicy::default(), ruleset: Ruleset::Current })
}

/// The number of pairs with equal labels.
fn equal_pairs<'a>(labels: impl Iterator<Item = &'a str>) -> usize {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    labels.for_each(|label| *counts.entry(label).or_default() += 1);
    counts.into_values().map(|count| count * (count - 1) / 2).sum()
}

#[test]
fn grouping_has_high_precision_and_recall() {
    for style in [Style::Curated, Style::Mixed] {
        let episodes: Vec<Episode> = episodes::episodes(&Options::new(5_000, style));
        let log: String = episodes.iter().map(|episode| format!("{}\n", episode.line)).collect();
        let patterns = patterns(&log);
        let label = |at: &usize| episodes[*at].label.as_str();
        let expected = equal_pairs(episodes.iter().map(|episode| episode.label.as_str()));
        let correct: usize = patterns.iter().map(|pattern| equal_pairs(pattern.rows.iter().map(label))).sum();
        let grouped: usize = patterns.iter().map(|p| p.rows.len() * (p.rows.len() - 1) / 2).sum();
        let precision = correct as f64 / grouped as f64;
        let recall = correct as f64 / expected as f64;
        assert!(precision >= 0.95, "{style:?}: precision {precision}");
        assert!(recall >= 0.90, "{style:?}: recall {recall}");
    }
}

#[test]
fn rows_that_differ_in_a_number_name_or_negation_are_not_grouped() {
    let row = |action: &str| format!("{{\"timestamp\":\"2026-04-30\",\"action\":\"{action}\"}}\n");
    for (one, other) in [
        ("merged PR #260 into the release branch", "merged PR #480 into the release branch"),
        ("always rebase before the merge", "never rebase before the merge"),
        ("edited the config in src/a.rs by hand", "edited the config in src/b.rs by hand"),
        ("set RETRY_LIMIT in the worker pool", "set BATCH_LIMIT in the worker pool"),
        ("ran the whole suite of tests", "ran not the whole suite of tests"),
        ("copied rows from staging to production", "copied rows from production to staging"),
    ] {
        assert_eq!(patterns(&(row(one) + &row(other))), [], "{one:?} {other:?}");
        assert_eq!(patterns(&(row(one) + &row(other) + &row(one))).len(), 1, "{one:?}");
    }
}
