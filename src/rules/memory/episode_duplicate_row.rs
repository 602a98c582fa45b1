//! See `episode_duplicate_row.md`.

use super::shared::{each, place};
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

fn check(log: &EpisodeLog, drafts: &mut RawFindings) {
    let draft = |twice: &DuplicateRow| {
        RawFinding::new(place(&log.path, twice.row), "this row stands in the log already, byte for byte")
            .related(place(&log.path, twice.first), "the same row")
            .help("take one of them out, unless it did happen twice in the same moment")
    };
    each(log, |document| &document.same_row, draft, drafts);
}
