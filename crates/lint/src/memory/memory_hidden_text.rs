//! See `memory_hidden_text.md`.

use super::hidden_text;
use super::lessons_long::is_lessons;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::memory_file::MemoryFile;
use canonry_model::canon::review_log::ReviewLog;
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "memory-hidden-text",
    summary: "lesson or row of the review queue with hidden characters or a prompt injection",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("memory_hidden_text.md"),
    check: Check::Each(&[Check::Memory(check), Check::Review(check_review)]),
};

fn check(file: &MemoryFile, findings: &mut Vec<Finding>) {
    if let Ok(source) = &file.document
        && is_lessons(file)
    {
        hidden_text::check(&RULE, source, findings);
    }
}

/// Row of the review queue with hidden characters or a prompt injection.
fn check_review(log: &ReviewLog, findings: &mut Vec<Finding>) {
    if let Ok(document) = &log.document {
        hidden_text::check(&RULE, &document.source, findings);
    }
}
