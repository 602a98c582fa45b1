//! Findings in episode logs.

use crate::tests::files::{Files, brief};
use canonry_lint::Finding;
use canonry_lint::{self as rules, Profile};
use canonry_model::canon::Blob;
use canonry_model::canon::log::EpisodeLog;
use canonry_model::canon::schema::Schemas;
use canonry_testing::episodes::{self, Options, Style};
use canonry_testing::seed_oracle;
use canonry_text::RepoPath;

const LOG: &str = "agent/memory/episodic/AGENT_LEARNINGS.jsonl";
const GOOD: &str = r#"{"timestamp": "2026-05-01T09:30:00Z", "action": "drafted the notes"}"#;

fn check(bytes: &[u8]) -> Vec<Finding> {
    let log = EpisodeLog::parse(RepoPath::from(LOG), Blob::Bytes(bytes.to_vec()), &Schemas::default());
    rules::check(&log)
}

#[test]
fn generated_rows_have_no_findings() {
    for style in [Style::Mixed, Style::Hook, Style::Curated, Style::Unique] {
        for (ids, source) in [(true, false), (true, true), (false, false)] {
            let log = episodes::log(&Options { ids, source, ..Options::new(300, style) });
            let found = check(&log);
            assert!(found.is_empty(), "{style:?}, ids {ids}, source {source}: {found:#?}");
        }
    }
}

/// The oracle ignores exactly the rows that a rule reports as unreadable.
#[test]
fn rows_reported_as_unreadable_equal_those_ignored_by_the_oracle() {
    let log = episodes::log(&Options { dirty: true, ..Options::new(5_000, Style::Mixed) });
    let log = std::str::from_utf8(&log).unwrap();
    let expected = seed_oracle::dream(log, "", episodes::NOW).invalid;
    assert!(expected.len() > 20, "{}", expected.len());
    // In chunks, so that findings are not capped.
    let lines: Vec<&str> = log.split_inclusive('\n').collect();
    let mut found = Vec::new();
    for (part, lines) in lines.chunks(100).enumerate() {
        let unreadable =
            check(lines.concat().as_bytes()).into_iter().filter(|finding| finding.rule.id == "file-unreadable");
        found.extend(unreadable.map(|finding| part * 100 + finding.location.position.line));
    }
    assert_eq!(found, expected);
}

#[test]
fn many_equal_findings_are_capped() {
    let found = check("{}\n".repeat(100_000).as_bytes());
    assert_eq!(found.len(), 21);
    let last = &found[20];
    assert_eq!(
        (last.rule.id, last.message.as_str(), last.location.position.line),
        ("file-unreadable", "99980 more findings like the 20 above; this is the first one", 21)
    );
}

/// A problem of a row is reported by exactly one rule.
#[test]
fn a_problem_is_reported_by_one_rule_only() {
    let mut files = Files::default();
    files.add("agent/schemas/episode-schema.json", r#"{"properties": {"pain_score": {"maximum": 10}}}"#);
    files.add(LOG, format!("{}\n[]\n", GOOD.replace('}', ", \"pain_score\": 11}")));
    files.add("agent/reports/login/plan.1.json", "{");
    let found = brief(&files.findings(Profile::Team));
    assert_eq!(found, ["E episode-schema", "E file-unreadable", "E report-schema"]);
}
