//! The result of a dream.

use super::{committed_line, counted, json};
use canonry_app::dream::{DreamChangeKind, DreamFileChange, DreamOutcome};
use canonry_memory::dream_counts::DreamCounts;
use canonry_memory::review::waiting_message;
use canonry_text::RepoPath;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Invalid lines that are listed; the others are counted.
const MAX_INVALID_LINES: usize = 10;

/// The document `canonry/dream/v1`.
pub fn to_json(outcome: &DreamOutcome) -> String {
    let decision = &outcome.plan.decision;
    let plan = &outcome.plan;
    let invalid = decision.log.invalid.iter();
    json::to_text(&json!({
        "schema": "canonry/dream/v1",
        "now": plan.params.now.to_string(),
        "entries": decision.log.rows.len(),
        "promoted": plan.best_row_ids(decision.promoted.iter()),
        "written": plan.written_row_ids(),
        "staged": plan.staged.iter().map(|staged| staged.candidate.as_str()).collect::<Value>(),
        "deferred": plan.deferred,
        "archived": decision.archived.iter().map(|row| decision.row_id(*row)).collect::<Value>(),
        "kept": decision.kept(),
        "invalid": invalid.map(|line| json!({"line": line.line, "reason": line.reason.to_string()})).collect::<Value>(),
        "workspace_archived": !plan.state.stale.is_empty(),
        "commit": outcome.commit.as_ref().map(|made| made.id.to_string()),
        "message": plan.message(),
    }))
}

/// The summary and the changed files, for stdout.
pub fn to_text(outcome: &DreamOutcome) -> String {
    let counts = outcome.plan.counts();
    let mut text = if outcome.dry_run { next_dream(&counts) } else { summary(&counts) };
    text.push('\n');
    for DreamFileChange { path, change, rows } in
        outcome.files.iter().filter(|file| !outcome.overtaken.contains(&file.path))
    {
        let verb = match change {
            DreamChangeKind::Staged => "proposed",
            DreamChangeKind::Learned => "learned",
            DreamChangeKind::Archived => "archived",
            DreamChangeKind::Quarantined => "quarantined",
            DreamChangeKind::Reset => "reset",
        };
        let rows = rows.map(|rows| format!(" ({})", counted(rows, "row"))).unwrap_or_default();
        let _ = writeln!(text, "{verb:<12}{path}{rows}");
    }
    if outcome.plan.deferred > 0 {
        let _ =
            writeln!(text, "{:<12}{}, for the next nights", "deferred", counted(outcome.plan.deferred, "candidate"));
    }
    text
}

/// The summary of a dream.
fn summary(counts: &DreamCounts) -> String {
    let changes = changes(counts);
    if changes.is_empty() {
        return format!("Nothing new: {} kept.", counted(counts.kept, "episode"));
    }
    format!("{}.", changes.join(", "))
}

/// The summary of a dream that was not run.
pub(super) fn next_dream(counts: &DreamCounts) -> String {
    let changes = changes(counts);
    if changes.is_empty() {
        "A dream now: nothing new.".to_owned()
    } else {
        format!("A dream now: {}.", changes.join(", "))
    }
}

/// The counts that are not zero.
fn changes(counts: &DreamCounts) -> Vec<String> {
    let mut changes = Vec::new();
    if counts.lessons > 0 {
        changes.push(format!("{} learned", counted(counts.lessons, "lesson")));
    }
    if counts.archived > 0 {
        changes.push(format!("{} archived", counted(counts.archived, "old episode")));
    }
    if counts.candidates > 0 {
        let wait = if counts.candidates == 1 { "waits" } else { "wait" };
        changes.push(format!("{} {wait} for review", counted(counts.candidates, "proposal")));
    }
    changes
}

/// The invalid lines and a hint about pending candidates, for stderr.
pub fn remarks(outcome: &DreamOutcome, log: &RepoPath) -> String {
    let invalid = &outcome.plan.decision.log.invalid;
    let mut text = String::new();
    for line in invalid.iter().take(MAX_INVALID_LINES) {
        let _ = writeln!(text, "{log}:{}: {}", line.line, line.reason);
    }
    if invalid.len() > MAX_INVALID_LINES {
        let _ = writeln!(text, "and {} more", counted(invalid.len() - MAX_INVALID_LINES, "line"));
    }
    let waiting = outcome.plan.state.queue.pending().count() + outcome.plan.staged.len();
    if outcome.dry_run || waiting == 0 {
        return text;
    }
    if waiting == outcome.plan.staged.len() {
        // The summary has the number.
        text.push_str("Run `canonry memory review` to decide.\n");
    } else {
        let _ = writeln!(text, "{}", waiting_message(waiting));
    }
    text
}

/// The line about the commit, for stdout.
pub fn commit_line(outcome: &DreamOutcome) -> String {
    outcome.commit.as_ref().map(committed_line).unwrap_or_default()
}

/// Warnings about what happened to the files while they were written, for stderr.
pub fn concurrency_warnings(overtaken: &[RepoPath], stale_writer: Option<u32>, log: &RepoPath) -> String {
    let mut text = String::new();
    for path in overtaken {
        let _ = writeln!(text, "{path} changed while this command ran and was left alone.");
    }
    if let Some(process) = stale_writer {
        let _ = writeln!(
            text,
            "Process {process} still has the previous {log} open: anything it writes from now on is lost. Make it reopen the log."
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_omits_zero_counts() {
        let counts =
            |[lessons, archived, kept, candidates]: [usize; 4]| DreamCounts { lessons, archived, kept, candidates };
        for (numbers, want) in [
            ([1, 1, 3, 1], "1 lesson learned, 1 old episode archived, 1 proposal waits for review."),
            ([2, 0, 3, 0], "2 lessons learned."),
            ([0, 2000, 3, 4], "2000 old episodes archived, 4 proposals wait for review."),
            ([0, 0, 1, 0], "Nothing new: 1 episode kept."),
            ([0, 0, 0, 0], "Nothing new: 0 episodes kept."),
        ] {
            assert_eq!(summary(&counts(numbers)), want);
        }
        assert_eq!(next_dream(&counts([0, 0, 3, 0])), "A dream now: nothing new.");
        assert_eq!(next_dream(&counts([1, 0, 3, 0])), "A dream now: 1 lesson learned.");
    }
}
