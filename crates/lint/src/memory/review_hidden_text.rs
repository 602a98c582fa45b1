//! Part of `memory-hidden-text`: row of the review queue with hidden characters or a prompt injection.

use super::hidden_text;
use super::memory_hidden_text::RULE;
use crate::Finding;
use canonry_model::canon::review_log::ReviewLog;

pub(super) fn check(log: &ReviewLog, findings: &mut Vec<Finding>) {
    if let Ok(document) = &log.document {
        hidden_text::check(&RULE, &document.source, findings);
    }
}
