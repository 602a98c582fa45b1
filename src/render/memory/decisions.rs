//! Decisions about candidates of the review queue, and the questions of an interactive review.

use super::review::item_to_text;
use crate::render::{committed_line, counted};
use canonry_app::Error;
use canonry_app::memory::decide::{DecidedCandidate, DecidedCandidates, PlacedFile};
use canonry_app::memory::interactive::{InteractiveReview, ReviewQuestion};
use std::fmt::Write as _;

/// Decisions that were made.
pub fn to_text(outcome: &DecidedCandidates) -> String {
    let mut text = decided_to_text(&outcome.decided);
    if outcome.decided.is_empty() && outcome.refused.is_empty() {
        text.push_str("No candidates wait for a decision.\n");
    }
    if let Some(commit) = &outcome.commit {
        text.push_str(&committed_line(commit));
    }
    text
}

/// The decided candidates, without the commit.
pub fn decided_to_text(candidates: &[DecidedCandidate]) -> String {
    let mut text = String::new();
    for decided in candidates {
        let _ = writeln!(text, "{}", decided.message);
        if let Some(path) = &decided.skill_draft {
            let _ = writeln!(
                text,
                "wrote     {path}\nComplete the draft, then run `canonry check {path}` and `canonry sync`."
            );
        }
        match &decided.placed {
            Some(PlacedFile { path, existing_line: Some(line) }) => {
                let _ = writeln!(text, "unchanged {path}: line {line} already says this");
            }
            Some(PlacedFile { path, existing_line: None }) => {
                let _ =
                    writeln!(text, "wrote     {path}\nRun `canonry sync` to update the mirrors and the tools' files.");
            }
            None => {}
        }
    }
    text
}

/// The candidates that still wait because the decision was refused, for stderr.
pub fn refusals_to_text(outcome: &DecidedCandidates) -> String {
    let mut text: String = outcome.refused.iter().map(|refused| refusal_to_text(&refused.error)).collect();
    if !outcome.refused.is_empty() {
        let waiting = counted(outcome.refused.len(), "candidate");
        let _ = writeln!(text, "{waiting} left undecided.");
    }
    text
}

/// Why a decision was refused.
pub fn refusal_to_text(error: &Error) -> String {
    let help = error.help.as_ref().map(|help| format!("  help: {help}\n")).unwrap_or_default();
    format!("refused   {}\n{help}", error.message)
}

/// A candidate with the keys that decide about it.
pub fn question_to_text(question: &ReviewQuestion<'_>) -> String {
    let ReviewQuestion { item, number, total } = question;
    format!("\n{number}/{total}  {}{KEYS}", item_to_text(item, true))
}

/// The keys, after one that means nothing.
pub fn key_help() -> String {
    format!("\n{KEYS}")
}

const KEYS: &str = "[a]ccept, [e]dit, [r]eject, [s]kip, [q]uit? ";

/// The result of an interactive review.
pub fn interactive_to_text(outcome: &InteractiveReview) -> String {
    let pending = outcome.pending;
    let mut text = match (outcome.accepted, outcome.rejected) {
        (0, 0) if pending == 0 => "No candidates wait for a decision.\n".to_owned(),
        (accepted, rejected) => format!("\n{accepted} accepted, {rejected} rejected, {pending} still waiting.\n"),
    };
    if let Some(commit) = &outcome.commit {
        text.push_str(&committed_line(commit));
    }
    text
}
