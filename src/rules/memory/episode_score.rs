//! Part of `episode-schema`: score or count of an episode is out of range.

use super::log_rows::{breach_location, report};
use crate::canon::log::{EpisodeLog, RowViolation};
use crate::finding::RawFinding;
use crate::rules::RawFindings;
use crate::rules::violations::describe;

pub(super) fn check(log: &EpisodeLog, findings: &mut RawFindings) {
    let finding = |found: &RowViolation| {
        RawFinding::new(breach_location(&log.path, found), describe(&found.violation))
            .help("correct the value, or omit the key for its default")
    };
    report(log, |document| &document.scores, finding, findings);
}
