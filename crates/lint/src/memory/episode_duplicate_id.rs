//! See `episode_duplicate_id.md`.

use super::log_rows::{report, row_location};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::log::{DuplicateRow, EpisodeLog};
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "episode-duplicate-id",
    summary: "different episodes with the same id",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("episode_duplicate_id.md"),
    check: Check::Log(check),
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
