//! See `episode_score.md`.

use super::log_rows::{breach_location, report};
use crate::canon::log::{EpisodeLog, RowViolation};
use crate::finding::{RawFinding, Severity};
use crate::rules::violations::describe;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "episode-score",
    summary: "score or count of an episode is out of range",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("episode_score.md"),
    check: Check::Log(check),
};

fn check(log: &EpisodeLog, findings: &mut RawFindings) {
    let finding = |found: &RowViolation| {
        RawFinding::new(breach_location(&log.path, found), describe(&found.violation))
            .help("correct the value, or omit the key for its default")
    };
    report(log, |document| &document.scores, finding, findings);
}
