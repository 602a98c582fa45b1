//! Logs with known verdicts: those of an independent generator and oracle where they lie beside the checkout, and what
//! people read of bad rows.

use crate::common::memory::{Files, brief};
use canonry::canon::Blob;
use canonry::canon::log::EpisodeLog;
use canonry::canon::schema::Schemas;
use canonry::finding::RawFinding;
use canonry::rules::{self, Profile};
use canonry::syntax::RepoPath;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

const LOG: &str = "agent/memory/episodic/AGENT_LEARNINGS.jsonl";
const GOOD: &str = r#"{"timestamp": "2026-05-01T09:30:00Z", "action": "drafted the notes"}"#;

fn judged(bytes: &[u8]) -> Vec<(&'static str, RawFinding)> {
    let log = EpisodeLog::parse(RepoPath::from(LOG), Blob::Bytes(bytes.to_vec()), &Schemas::default());
    rules::check(&log)
}

/// A program of the shared folder; `None` where that or Python is not there.
fn python(program: &str, args: &[&str]) -> Option<Vec<u8>> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let shared = std::env::var_os("CANONRY_SHARED").map_or_else(beside, PathBuf::from);
    let program = Some(shared.join("bench").join(program)).filter(|program| program.is_file())?;
    let ran = Command::new("python3").arg(program).args(args).output().ok()?;
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    Some(ran.stdout)
}

#[test]
fn generated_rows_are_well() {
    for style in ["mixed", "hook", "curated", "unique"] {
        for more in [&[][..], &["--full"], &["--no-id"]] {
            let Some(log) = python("gen_episodes.py", &[&["3000", "--style", style], more].concat()) else { return };
            let found = judged(&log);
            assert!(found.is_empty(), "{style} {more:?}: {found:#?}");
        }
    }
}

/// Rows that are unreadable here are those that the dream leaves out of every count.
#[test]
fn unreadable_are_the_rows_that_the_oracle_leaves_out() {
    let Some(log) = python("gen_episodes.py", &["20000", "--style", "mixed", "--dirty"]) else { return };
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &log).unwrap();
    let args = [file.path().to_str().unwrap(), "--now", "2026-05-01T03:00:00+00:00"];
    let told: Value = serde_json::from_slice(&python("oracle_dream.py", &args).unwrap()).unwrap();
    let want: Vec<&str> = told["invalid"]["ids"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    assert!(want.len() > 100, "{}", want.len());
    // In parts so small that each bad row is told by itself.
    let lines: Vec<&[u8]> = log.split_inclusive(|b| *b == b'\n').collect();
    let mut got = Vec::new();
    for (part, lines) in lines.chunks(100).enumerate() {
        let bad = judged(&lines.concat()).into_iter().filter(|(rule, _)| *rule == "episode-unreadable");
        got.extend(bad.map(|(_, draft)| format!("L{}", part * 100 + draft.location.position.line)));
    }
    assert_eq!(got, want);
}

#[test]
fn a_flood_is_told_in_a_few_findings() {
    let found = judged("{}\n".repeat(100_000).as_bytes());
    assert_eq!(found.len(), 21);
    let (rule, last) = &found[20];
    assert_eq!(
        (*rule, last.message.as_str(), last.location.position.line),
        ("episode-unreadable", "99980 more findings like the 20 above, the first of them here", 21)
    );
}

#[test]
fn messages_name_the_place_and_the_way_out() {
    let quarantine = "; otherwise `canonry dream` ignores the row and moves it to `quarantine.txt` next to the log";
    let with = |more: &str| GOOD.replace('}', &format!(", {more}}}"));
    let cut = GOOD[..40].to_owned();
    for (row, rule, message, help) in [
        (
            cut.as_str(),
            "episode-unreadable",
            "not JSON: EOF while parsing a string at byte 40",
            format!("the row is cut off: complete it or remove it{quarantine}"),
        ),
        (
            "{\"timestamp\": 5}",
            "episode-unreadable",
            "`timestamp` must be text, not a number",
            format!("add the time of the episode, such as \"timestamp\": \"2026-05-01T09:30:00Z\"{quarantine}"),
        ),
        (
            "<<<<<<< HEAD",
            "episode-unreadable",
            "a merge conflict marker",
            "resolve the merge: keep the rows of both sides and remove the lines with markers".to_owned(),
        ),
        (
            &with("\"pain_score\": 0"),
            "episode-score",
            "`pain_score` must be at least 1, but is 0",
            "scores go from 1 to 10 and counts from 1; leave the key out for its default".to_owned(),
        ),
        (
            &with(&format!("\"context\": \"{}\"", "é".repeat(301))),
            "episode-schema",
            "`context` must have at most 300 characters, but has 301",
            "shorten it; what is needed in full belongs in a file that the row names".to_owned(),
        ),
    ] {
        let found = judged(row.as_bytes());
        let [(got, draft)] = found.as_slice() else { panic!("{row}: {found:?}") };
        assert_eq!((*got, draft.message.as_str(), draft.help.as_deref()), (rule, message, Some(help.as_str())));
    }
}

/// What one rule says of a row no other says again.
#[test]
fn nothing_is_said_twice() {
    let mut files = Files::default();
    files.add("agent/schemas/episode-schema.json", r#"{"properties": {"pain_score": {"maximum": 10}}}"#);
    files.add(LOG, format!("{}\n[]\n", GOOD.replace('}', ", \"pain_score\": 11}")));
    files.add("agent/reports/login/plan.1.json", "{");
    let found = brief(&files.findings(Profile::Team));
    assert_eq!(found, ["E episode-score", "E unreadable-content", "E report-json"]);
}
