//! See `review_hidden_text.md`.

use super::hidden_text;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::review_log::ReviewLog;
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "review-hidden-text",
    summary: "row of the review queue with hidden characters or a prompt injection",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("review_hidden_text.md"),
    check: Check::Review(check),
};

fn check(log: &ReviewLog, findings: &mut Vec<Finding>) {
    if let Ok(document) = &log.document {
        hidden_text::check(&RULE, &document.source, findings);
    }
}
