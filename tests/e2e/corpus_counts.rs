//! What each rule says of 621 real skills, as a count. A count that moves is a rule that changed: whoever moves it looks
//! at what it says now and writes the new count down with the change.
//!
//! `UPDATE_DOCS=1 cargo test --test e2e corpus_counts` writes `corpus_counts.tsv`. Rules that are off by default are counted
//! too; what is said of mirrors is not, since the corpus has none.

use crate::common::corpus::{Scratch, corpus};
use canonry::finding::Severity;
use canonry::rules::{self, FAMILIES};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const HEAD: &str = "rule\tseverity\tcount\n";

fn expectations() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/corpus_counts.tsv")
}

/// Turns on what is off, so that it is counted.
fn config() -> String {
    let off = rules::all().filter(|rule| rule.severity.team == Severity::Off);
    let lines: String = off.map(|rule| format!("  {}: info\n", rule.id)).collect();
    if lines.is_empty() { String::new() } else { format!("rules:\n{lines}") }
}

fn counts(corpus: &Path) -> BTreeMap<String, usize> {
    let scratch = Scratch::new(corpus);
    std::fs::write(scratch.folder.path().join("agent/canonry.yaml"), config()).unwrap();
    let (_, found) = scratch.canonry(&["check", "--format", "json"]);
    let mut counts = BTreeMap::new();
    for finding in found["findings"].as_array().unwrap() {
        *counts.entry(finding["rule"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    counts
}

fn table(counts: &BTreeMap<String, usize>) -> String {
    let of_skills = FAMILIES.iter().filter(|(family, _)| ["skill", "files", "security", "repo"].contains(family));
    let row = |rule: &&rules::Rule| {
        let count = counts.get(rule.id).copied().unwrap_or_default();
        format!("{}\t{}\t{count}\n", rule.id, rule.severity.team.as_str())
    };
    let rows: String = of_skills.flat_map(|(_, rules)| rules.iter()).map(row).collect();
    format!("{HEAD}{rows}")
}

#[test]
fn counts_are_those_that_were_written_down() {
    let Some(corpus) = corpus() else { return };
    let table = table(&counts(&corpus));
    print!("{table}");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(expectations(), &table).unwrap();
    }
    let written = std::fs::read_to_string(expectations()).unwrap_or_default();
    let moved: Vec<String> = similar::TextDiff::from_lines(&written, &table)
        .iter_all_changes()
        .filter(|change| change.tag() != similar::ChangeTag::Equal)
        .map(|change| format!("{} {}", change.tag(), change.value().trim_end()))
        .collect();
    assert!(
        moved.is_empty(),
        "counts moved; read what the rules say now, then `UPDATE_DOCS=1 cargo test --test e2e corpus_counts`:\n{}",
        moved.join("\n")
    );
}
