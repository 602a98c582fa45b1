//! See `log_unreadable.md`.

use crate::canon::blob::BlobError;
use crate::canon::log::EpisodeLog;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule, missing};

pub(super) static RULE: Rule = Rule {
    id: "log-unreadable",
    summary: "an episodic log that gives no bytes, such as a link that leads nowhere",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("log_unreadable.md"),
    check: Check::Log(check),
};

fn check(log: &EpisodeLog, drafts: &mut RawFindings) {
    let Err(why) = &log.document else { return };
    let message = format!("there is no log to read: {why}");
    drafts.push(RawFinding::new(Location::file(&log.path), message).help(match why {
        BlobError::TooLarge { .. } => "let the dream move old rows to the snapshots",
        why => missing::help(why),
    }));
}
