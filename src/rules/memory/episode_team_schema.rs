//! See `episode_team_schema.md`.

use super::shared::{breach, each};
use crate::canon::log::{EpisodeLog, RowViolation};
use crate::finding::{RawFinding, Severity};
use crate::rules::violations::of_team;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "episode-team-schema",
    summary: "an episode that breaks the team's own episode schema",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("episode_team_schema.md"),
    check: Check::Log(check),
};

fn check(log: &EpisodeLog, drafts: &mut RawFindings) {
    let draft = |found: &RowViolation| {
        let (message, help) = of_team(&found.violation);
        RawFinding::new(breach(&log.path, found), message).help(help)
    };
    each(log, |document| &document.team, draft, drafts);
}
