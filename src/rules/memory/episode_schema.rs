//! See `episode_schema.md`.

use super::shared::{breach, each};
use crate::canon::log::{EpisodeLog, RowViolation};
use crate::finding::{RawFinding, Severity};
use crate::rules::violations::in_words;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "episode-schema",
    summary: "an episode that lacks a key, or has a value of the wrong type or length",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("episode_schema.md"),
    check: Check::Log(check),
};

fn check(log: &EpisodeLog, drafts: &mut RawFindings) {
    let draft = |found: &RowViolation| {
        let draft = RawFinding::new(breach(&log.path, found), in_words(&found.violation));
        match found.violation.keyword.as_str() {
            "required" => draft.help("say what was done: rows without an action are all one pattern"),
            "maxLength" => draft.help("shorten it; what is needed in full belongs in a file that the row names"),
            _ => draft,
        }
    };
    each(log, |document| &document.shape, draft, drafts);
}
