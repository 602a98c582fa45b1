//! A team repository with a memory.

use crate::support::repo::{Ran, Repo};
use std::collections::BTreeMap;

pub const LOG: &str = "agent/memory/episodic/AGENT_LEARNINGS.jsonl";
pub const LESSONS: &str = "agent/memory/semantic/LESSONS.md";
pub const SNAPSHOTS: &str = "agent/memory/episodic/snapshots";
pub const QUARANTINE: &str = "agent/memory/episodic/quarantine.txt";
pub const WORKSPACE: &str = "agent/memory/working/WORKSPACE.md";
pub const NOW: &str = "2026-05-01T03:00:00Z";

/// A row with an age in days and an importance of 5.
pub fn row(id: &str, days: i64, action: &str, pain: u8) -> String {
    let now: jiff::Timestamp = NOW.parse().unwrap();
    let at = now - jiff::SignedDuration::from_hours(24 * days);
    format!(
        "{{\"id\": \"{id}\", \"timestamp\": \"{at}\", \"skill\": \"s\", \"action\": \"{action}\", \
         \"pain_score\": {pain}, \"importance\": 10, \"reflection\": \"{action} teaches\"}}\n"
    )
}

/// Two rows of a salient pattern, one unrelated row, and two old rows, not in order of time.
pub fn rows() -> String {
    [
        row("old1", 100, "x", 1),
        row("a1", 1, "a", 9),
        row("b1", 1, "b", 1),
        row("old2", 150, "y", 1),
        row("a2", 2, "a", 8),
    ]
    .concat()
}

/// A committed repository with this log.
pub fn team(log: impl AsRef<[u8]>) -> Repo {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write(LOG, log);
    repo.commit_all("begin");
    repo
}

impl Repo {
    pub fn dream(&self, args: &[&str]) -> Ran {
        self.canonry(&[&["dream", "--now", NOW], args].concat())
    }

    /// Runs a dream and returns its JSON document.
    #[track_caller]
    pub fn dream_json(&self, args: &[&str]) -> serde_json::Value {
        let ran = self.dream(&[args, &["--format", "json"]].concat()).expect(0);
        serde_json::from_str(&ran.stdout).unwrap()
    }

    /// Counts each line in the log and the snapshots together.
    pub fn lines(&self) -> BTreeMap<Vec<u8>, usize> {
        let mut files = vec![self.read(LOG)];
        if self.exists(SNAPSHOTS) {
            let names = std::fs::read_dir(self.path(SNAPSHOTS)).unwrap().map(|entry| entry.unwrap().path());
            files.extend(
                names.filter(|p| p.extension().is_some_and(|e| e == "jsonl")).map(|p| std::fs::read(p).unwrap()),
            );
        }
        let mut counts = BTreeMap::new();
        for file in &files {
            for line in file.split(|b| *b == b'\n').filter(|line| !line.is_empty()) {
                *counts.entry(line.to_vec()).or_default() += 1;
            }
        }
        counts
    }

    pub fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"])
    }
}
