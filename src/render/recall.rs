//! The result of a recall.

use super::{counted, json};
use canonry_app::recall::RecallOutcome;
use canonry_text::untrusted::as_data;
use std::fmt::Write as _;

/// The document `canonry/recall/v1`.
pub fn to_json(outcome: &RecallOutcome) -> String {
    json::document_of("canonry/recall/v1", outcome)
}

/// The hits, one per line.
pub fn to_text(outcome: &RecallOutcome) -> String {
    outcome.hits.iter().map(|hit| format!("{}\n", as_data(&hit.text))).collect()
}

/// The message for a search without hits.
pub fn no_hits(outcome: &RecallOutcome) -> String {
    if outcome.left_out > 0 {
        let matches =
            if outcome.left_out == 1 { "1 match".to_owned() } else { format!("{} matches", outcome.left_out) };
        return format!("{matches}, but none fits into {} tokens; raise `--budget`.\n", outcome.budget);
    }
    let entries = if outcome.searched == 1 { "1 entry".to_owned() } else { format!("{} entries", outcome.searched) };
    format!("No match among {entries} of the memory.\n")
}

/// The message about lines that are not episodes; empty if there are none.
pub fn unreadable_lines(outcome: &RecallOutcome) -> String {
    let mut text = String::new();
    if outcome.unreadable > 0 {
        let lines = counted(outcome.unreadable, "invalid line");
        let _ = writeln!(text, "Skipped {lines}; run `canonry check` for details.");
    }
    text
}
