//! See `review_event_schema.md`.

use crate::violations::describe;
use crate::{Check, Defaults, RawFindings, Rule};
use canonry_model::canon::review_log::ReviewLog;
use canonry_model::finding::{Location, RawFinding, Severity};

pub(super) static RULE: Rule = Rule {
    id: "review-event-schema",
    summary: "row of the review queue does not match the built-in schema",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("review_event_schema.md"),
    check: Check::Review(check),
};

fn check(log: &ReviewLog, findings: &mut RawFindings) {
    let Ok(document) = &log.document else { return };
    for violation in document.violations.iter().filter(|violation| violation.team.is_none()) {
        findings.push(
            RawFinding::new(Location::at(&document.source, violation.span), describe(violation))
                .help("correct the row or remove it; until then `canonry memory review` skips it"),
        );
    }
}
