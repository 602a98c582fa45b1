//! See `review_event_schema.md`.

use crate::violations::describe;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::review_log::ReviewLog;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "review-event-schema",
    summary: "row of the review queue does not match the built-in schema",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("review_event_schema.md"),
    check: Check::Review(check),
};

fn check(log: &ReviewLog, findings: &mut Vec<Finding>) {
    let Ok(document) = &log.document else { return };
    for violation in document.violations.iter().filter(|violation| violation.team.is_none()) {
        findings.push(
            RULE.at(Location::at(&document.source, violation.span), describe(violation))
                .help("correct the row or remove it; until then `canonry memory review` skips it"),
        );
    }
}
