//! See `episode_duplicate_id.md`.

use super::log_rows::{report, row_location};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::log::{DuplicateRow, EpisodeLog};
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "episode-duplicate-id",
    summary: "episode with the id of another one, or repeated byte for byte",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("episode_duplicate_id.md"),
    check: Check::Each(&[Check::Log(check), Check::At(Defaults::both(Severity::Info), &Check::Log(check_rows))]),
};

fn check(log: &EpisodeLog, findings: &mut Vec<Finding>) {
    let finding = |duplicate: &DuplicateRow| {
        let id = duplicate.id.as_deref().unwrap_or_default();
        RULE.at(row_location(&log.path, duplicate.row), format!("the id `{id}` belongs to another episode"))
            .related(row_location(&log.path, duplicate.first), "first used here")
            .help("change one of the ids, or remove it; the episode is then identified by its content")
    };
    report(log, |document| &document.same_id, finding, findings);
}

/// Duplicate row in the episodic log.
fn check_rows(log: &EpisodeLog, findings: &mut Vec<Finding>) {
    let finding = |duplicate: &DuplicateRow| {
        RULE.at(row_location(&log.path, duplicate.row), "duplicate of an earlier row, byte for byte")
            .related(row_location(&log.path, duplicate.first), "first row here")
            .help("remove one of them, unless the same thing happened twice at the same time")
    };
    report(log, |document| &document.same_row, finding, findings);
}
