//! See `episode_unreadable.md`.

use super::shared::{each, place};
use crate::canon::episode::EpisodeError;
use crate::canon::log::{EpisodeLog, InvalidRow};
use crate::finding::{RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "episode-unreadable",
    summary: "a row of the log that is no episode, so that the dream sets it aside",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("episode_unreadable.md"),
    check: Check::Log(check),
};

fn check(log: &EpisodeLog, drafts: &mut RawFindings) {
    let draft =
        |line: &InvalidRow| RawFinding::new(place(&log.path, line.row), line.bad.to_string()).help(help(&line.bad));
    each(log, |document| &document.unreadable, draft, drafts);
}

/// What to do before the dream moves the row out of the log.
fn help(bad: &EpisodeError) -> String {
    let mend = match bad {
        EpisodeError::ConflictMarker => {
            return "resolve the merge: keep the rows of both sides and take out the lines of markers".to_owned();
        }
        EpisodeError::NotJson(why) if why.starts_with("EOF") => "the row is cut off: complete it, or take it out",
        EpisodeError::NotJson(_) | EpisodeError::NotAnObject(_) => "write one JSON object on the line",
        EpisodeError::Nul(_) => "take the NUL bytes out; a crash of the system leaves them",
        EpisodeError::NotUtf8(_) => "write the row as UTF-8",
        EpisodeError::NoTimestamp | EpisodeError::Timestamp(_) | EpisodeError::Type { field: "timestamp", .. } => {
            "add when it was, such as \"timestamp\": \"2026-05-01T09:30:00Z\""
        }
        EpisodeError::Type { wanted: "a number", .. } => {
            "write a number without quotes, or leave the key out for its default"
        }
        EpisodeError::Type { .. } => "write the text in quotes, or leave the key out",
    };
    format!("{mend}; until then the dream does not count the row, and moves it to `quarantine.txt` beside the log")
}
