//! How well the dream puts rows together that are about the same, on generated logs.

use crate::common::grouping::{patterns, quality, rows_of};
use std::path::Path;
use std::process::Command;

#[test]
fn pairs_are_right_and_few_are_missed() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/bench/gen_episodes.py");
    if !script.is_file() {
        return;
    }
    for style in ["curated", "mixed"] {
        let made = Command::new("python3").arg(&script).args(["5000", "--style", style]).output().unwrap();
        let quality = quality(&made.stdout);
        assert!(quality.precision >= 0.95, "{style}: {}", quality.precision);
        assert!(quality.recall >= 0.90, "{style}: {}", quality.recall);
        assert!(quality.patterns > 100, "{style}: {}", quality.patterns);
    }
}

#[test]
fn what_differs_in_a_number_a_name_or_a_negation_is_never_one() {
    let row = |action: &str| format!("{{\"timestamp\":\"2026-04-30\",\"action\":\"{action}\"}}\n");
    for (one, other) in [
        ("merged PR #260 into the release branch", "merged PR #480 into the release branch"),
        ("always rebase before the merge", "never rebase before the merge"),
        ("edited the config in src/a.rs by hand", "edited the config in src/b.rs by hand"),
        ("set RETRY_LIMIT in the worker pool", "set BATCH_LIMIT in the worker pool"),
        ("ran the whole suite of tests", "ran not the whole suite of tests"),
        ("copied rows from staging to production", "copied rows from production to staging"),
    ] {
        let log = row(one) + &row(other);
        assert_eq!(patterns(&rows_of(log.as_bytes())), [], "{one:?} {other:?}");
        let twice = row(one) + &row(other) + &row(one);
        assert_eq!(patterns(&rows_of(twice.as_bytes())).len(), 1, "{one:?}");
    }
}
