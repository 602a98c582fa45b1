//! Part of `episode-duplicate-id`: duplicate row in the episodic log.

use super::episode_duplicate_id::RULE;
use super::log_rows::{report, row_location};
use crate::Finding;
use canonry_model::canon::log::{DuplicateRow, EpisodeLog};

pub(super) fn check(log: &EpisodeLog, findings: &mut Vec<Finding>) {
    let finding = |duplicate: &DuplicateRow| {
        RULE.at(row_location(&log.path, duplicate.row), "duplicate of an earlier row, byte for byte")
            .related(row_location(&log.path, duplicate.first), "first row here")
            .help("remove one of them, unless the same thing happened twice at the same time")
    };
    report(log, |document| &document.same_row, finding, findings);
}
