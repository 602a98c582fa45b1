//! See `review_hidden_text.md`.

use super::hidden_text;
use crate::canon::review_log::ReviewLog;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "review-hidden-text",
    summary: "row of the review queue with hidden characters or a prompt injection",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("review_hidden_text.md"),
    check: Check::Review(check),
};

fn check(log: &ReviewLog, findings: &mut RawFindings) {
    if let Ok(document) = &log.document {
        hidden_text::check(&document.source, findings);
    }
}
