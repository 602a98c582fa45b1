//! See `episode_schema.md`.

use super::log_rows::{breach_location, report};
use crate::violations::describe;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::log::{EpisodeLog, RowViolation};
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "episode-schema",
    summary: "episode does not match the built-in schema",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("episode_schema.md"),
    check: Check::Each(&[Check::At(Defaults::both(Severity::Warning), &Check::Log(check)), Check::Log(check_scores)]),
};

fn check(log: &EpisodeLog, findings: &mut Vec<Finding>) {
    let finding = |violation: &RowViolation| {
        let finding = RULE.at(breach_location(&log.path, violation), describe(&violation.violation));
        match violation.violation.keyword.as_str() {
            "required" => finding.help("add what was done: all rows without an action form a single pattern"),
            "maxLength" => finding.help("shorten it, and move the full text to a file that the row names"),
            _ => finding.help("correct the value; `canonry schema episode` prints the valid ones"),
        }
    };
    report(log, |document| &document.shape, finding, findings);
}

/// Score or count of an episode is out of range.
fn check_scores(log: &EpisodeLog, findings: &mut Vec<Finding>) {
    let finding = |found: &RowViolation| {
        RULE.at(breach_location(&log.path, found), describe(&found.violation))
            .help("correct the value, or omit the key for its default")
    };
    report(log, |document| &document.scores, finding, findings);
}
