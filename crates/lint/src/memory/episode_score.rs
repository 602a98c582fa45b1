//! Part of `episode-schema`: score or count of an episode is out of range.

use super::episode_schema::RULE;
use super::log_rows::{breach_location, report};
use crate::Finding;
use crate::violations::describe;
use canonry_model::canon::log::{EpisodeLog, RowViolation};

pub(super) fn check(log: &EpisodeLog, findings: &mut Vec<Finding>) {
    let finding = |found: &RowViolation| {
        RULE.at(breach_location(&log.path, found), describe(&found.violation))
            .help("correct the value, or omit the key for its default")
    };
    report(log, |document| &document.scores, finding, findings);
}
