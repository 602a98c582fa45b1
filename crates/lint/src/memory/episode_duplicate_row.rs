//! See `episode_duplicate_row.md`.

use super::log_rows::{report, row_location};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::log::{DuplicateRow, EpisodeLog};
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "episode-duplicate-row",
    summary: "duplicate row in the episodic log",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("episode_duplicate_row.md"),
    check: Check::Log(check),
};

fn check(log: &EpisodeLog, findings: &mut Vec<Finding>) {
    let finding = |duplicate: &DuplicateRow| {
        RULE.at(row_location(&log.path, duplicate.row), "duplicate of an earlier row, byte for byte")
            .related(row_location(&log.path, duplicate.first), "first row here")
            .help("remove one of them, unless the same thing happened twice at the same time")
    };
    report(log, |document| &document.same_row, finding, findings);
}
