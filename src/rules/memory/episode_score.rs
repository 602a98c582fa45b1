//! See `episode_score.md`.

use super::log_rows::{breach_location, report};
use crate::canon::log::{EpisodeLog, RowViolation};
use crate::finding::{RawFinding, Severity};
use crate::rules::violations::describe;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "episode-score",
    summary: "a score or count of an episode that lies outside its range",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("episode_score.md"),
    check: Check::Log(check),
};

fn check(log: &EpisodeLog, findings: &mut RawFindings) {
    let finding = |found: &RowViolation| {
        RawFinding::new(breach_location(&log.path, found), describe(&found.violation))
            .help("scores go from 1 to 10 and counts from 1; leave the key out for its default")
    };
    report(log, |document| &document.scores, finding, findings);
}
