//! See `episode_duplicate_row.md`.

use super::log_rows::{report, row_location};
use crate::canon::log::{DuplicateRow, EpisodeLog};
use crate::finding::{RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "episode-duplicate-row",
    summary: "an episode that stands in the log twice, byte for byte",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("episode_duplicate_row.md"),
    check: Check::Log(check),
};

fn check(log: &EpisodeLog, findings: &mut RawFindings) {
    let finding = |twice: &DuplicateRow| {
        RawFinding::new(row_location(&log.path, twice.row), "this row stands in the log already, byte for byte")
            .related(row_location(&log.path, twice.first), "the same row")
            .help("take one of them out, unless it did happen twice in the same moment")
    };
    report(log, |document| &document.same_row, finding, findings);
}
