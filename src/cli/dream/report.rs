//! What a dream did, or would do, in words and as JSON.

use super::dreamt::DreamPlan;
use crate::apply::log_transaction::{FileChange, LogChanges};
use crate::git::commit::Committed;
use crate::render::{counted, json};
use crate::syntax::RepoPath;
use serde::Serialize;
use std::fmt::Write as _;

/// Lines of the log that are named one by one before the rest is counted.
const NAMED: usize = 10;

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    now: String,
    entries: usize,
    promoted: Vec<String>,
    written: Vec<String>,
    staged: Vec<String>,
    archived: Vec<String>,
    kept: usize,
    invalid: Vec<Invalid>,
    workspace_archived: bool,
    commit: Option<String>,
    message: String,
}

#[derive(Serialize)]
struct Invalid {
    line: u32,
    reason: String,
}

/// The document `canonry/dream/v1`.
pub fn to_json(dreamt: &DreamPlan, commit: Option<&Committed>) -> String {
    let decision = &dreamt.decision;
    let invalid = decision.bad.iter().map(|bad| Invalid { line: bad.line, reason: bad.reason.to_string() });
    json::to_text(&Document {
        schema: "canonry/dream/v1",
        now: dreamt.night.now.to_string(),
        entries: decision.rows.len(),
        promoted: dreamt.ids(decision.promoted.iter()),
        written: dreamt.written(),
        staged: dreamt.staged.iter().map(|staged| staged.candidate.clone()).collect(),
        archived: decision.archived.iter().map(|row| decision.id(*row)).collect(),
        kept: decision.kept(),
        invalid: invalid.collect(),
        workspace_archived: !dreamt.survey.stale.is_empty(),
        commit: commit.map(|made| made.id.to_string()),
        message: dreamt.message(),
    })
}

/// A file that changes, as it is told.
pub struct Changed {
    path: RepoPath,
    verb: &'static str,
    /// Rows that it gets, where it gets any.
    rows: Option<usize>,
}

/// Which files change.
pub fn files_of(changes: &LogChanges<'_>) -> Vec<Changed> {
    let told = |change: &FileChange<'_>| {
        let (verb, path) = match change {
            FileChange::Append { path, .. } if path.as_bstr().ends_with(b".jsonl") => ("staged", path),
            FileChange::Append { path, .. } => ("learnt", path),
            FileChange::Replace { path, before: None, .. } => ("archived", path),
            FileChange::Replace { path, .. } => ("reset", path),
        };
        Changed { path: path.clone(), verb, rows: None }
    };
    let mut files: Vec<Changed> = changes.files.iter().map(told).collect();
    if let Some(split) = &changes.log {
        let mut counts = vec![0; split.to.len()];
        split.moved.iter().for_each(|leave| counts[leave.to] += 1);
        files.extend(split.to.iter().zip(counts).map(|((path, head), count)| {
            let verb = if head.is_empty() { "archived" } else { "quarantined" };
            Changed { path: path.clone(), verb, rows: Some(count) }
        }));
    }
    files
}

/// A line for each, but for those that someone else has changed in the meantime.
pub fn in_words(files: &[Changed], overtaken: &[RepoPath]) -> String {
    let mut text = String::new();
    for Changed { path, verb, rows } in files.iter().filter(|file| !overtaken.contains(&file.path)) {
        let rows = rows.map(|rows| format!(" ({})", counted(rows, "row"))).unwrap_or_default();
        let _ = writeln!(text, "{verb:<12}{path}{rows}");
    }
    text
}

/// The lines that could not be read.
pub fn bad_in_words(dreamt: &DreamPlan, log: &RepoPath) -> String {
    let bad = &dreamt.decision.bad;
    let mut text = String::new();
    for line in bad.iter().take(NAMED) {
        let _ = writeln!(text, "{log}:{}: {}", line.line, line.reason);
    }
    if bad.len() > NAMED {
        let _ = writeln!(text, "and {} more", counted(bad.len() - NAMED, "line"));
    }
    text
}
