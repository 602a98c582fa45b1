//! See `episode_score.md`.

use super::shared::{breach, each};
use crate::canon::log::{EpisodeLog, RowViolation};
use crate::finding::{RawFinding, Severity};
use crate::rules::violations::in_words;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "episode-score",
    summary: "a score or count of an episode that lies outside its range",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("episode_score.md"),
    check: Check::Log(check),
};

fn check(log: &EpisodeLog, drafts: &mut RawFindings) {
    let draft = |found: &RowViolation| {
        RawFinding::new(breach(&log.path, found), in_words(&found.violation))
            .help("scores go from 1 to 10 and counts from 1; leave the key out for its default")
    };
    each(log, |document| &document.scores, draft, drafts);
}
