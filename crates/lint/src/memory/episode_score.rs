//! Part of `episode-schema`: score or count of an episode is out of range.

use super::log_rows::{breach_location, report};
use crate::RawFindings;
use crate::violations::describe;
use canonry_model::canon::log::{EpisodeLog, RowViolation};
use canonry_model::finding::RawFinding;

pub(super) fn check(log: &EpisodeLog, findings: &mut RawFindings) {
    let finding = |found: &RowViolation| {
        RawFinding::new(breach_location(&log.path, found), describe(&found.violation))
            .help("correct the value, or omit the key for its default")
    };
    report(log, |document| &document.scores, finding, findings);
}
