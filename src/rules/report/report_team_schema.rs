//! See `report_team_schema.md`.

use crate::canon::report::Report;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::violations::of_team;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "report-team-schema",
    summary: "a report that breaks the team's own report schema",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("report_team_schema.md"),
    check: Check::Report(check),
};

fn check(report: &Report, drafts: &mut RawFindings) {
    let Ok(document) = &report.document else { return };
    for violation in document.violations.iter().filter(|violation| violation.team.is_some()) {
        let (message, help) = of_team(violation);
        drafts.push(RawFinding::new(Location::at(&document.source, violation.span), message).help(help));
    }
}
