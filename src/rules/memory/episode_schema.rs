//! See `episode_schema.md`.

use super::log_rows::{breach_location, report};
use crate::canon::log::{EpisodeLog, RowViolation};
use crate::finding::{RawFinding, Severity};
use crate::rules::violations::describe;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "episode-schema",
    summary: "an episode that lacks a key, or has a value of the wrong type or length",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("episode_schema.md"),
    check: Check::Log(check),
};

fn check(log: &EpisodeLog, findings: &mut RawFindings) {
    let finding = |found: &RowViolation| {
        let finding = RawFinding::new(breach_location(&log.path, found), describe(&found.violation));
        match found.violation.keyword.as_str() {
            "required" => finding.help("say what was done: rows without an action are all one pattern"),
            "maxLength" => finding.help("shorten it; what is needed in full belongs in a file that the row names"),
            _ => finding,
        }
    };
    report(log, |document| &document.shape, finding, findings);
}
