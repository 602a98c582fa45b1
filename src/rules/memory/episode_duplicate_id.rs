//! See `episode_duplicate_id.md`.

use super::log_rows::{report, row_location};
use crate::canon::log::{DuplicateRow, EpisodeLog};
use crate::finding::{RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "episode-duplicate-id",
    summary: "two episodes that differ and have the same id",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("episode_duplicate_id.md"),
    check: Check::Log(check),
};

fn check(log: &EpisodeLog, findings: &mut RawFindings) {
    let finding = |twice: &DuplicateRow| {
        let id = twice.id.as_deref().unwrap_or_default();
        RawFinding::new(row_location(&log.path, twice.row), format!("another episode has the id `{id}` already"))
            .related(row_location(&log.path, twice.first), "first used here")
            .help("give one of them another id, or take its `id` out; its content then names it")
    };
    report(log, |document| &document.same_id, finding, findings);
}
