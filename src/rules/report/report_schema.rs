//! See `report_schema.md`.

use super::report_json;
use crate::canon::report::Report;
use crate::canon::schema::Violation;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::violations::describe;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "report-schema",
    summary: "report does not match the built-in schema",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("report_schema.md"),
    check: Check::Each(&[Check::Report(check), Check::Report(report_json::check)]),
};

fn check(report: &Report, findings: &mut RawFindings) {
    let Ok(document) = &report.document else { return };
    for violation in document.violations.iter().filter(|violation| violation.team.is_none()) {
        let mut finding = RawFinding::new(Location::at(&document.source, violation.span), describe(violation));
        finding.help = help(violation).map(str::to_owned);
        findings.push(finding);
    }
}

fn help(violation: &Violation) -> Option<&'static str> {
    match (violation.pointer.as_str(), violation.key.as_deref()) {
        ("/outcome", _) => {
            Some("write `success` for a finished step, `failure` for one to retry, or `blocked` for one that waits")
        }
        ("", Some("artifacts")) => Some("list the changed files and the tests that ran, or write `[]`"),
        (_, Some("file" | "status" | "result")) => {
            Some("an artifact is either a `file` with a `status` or a `test` with a `result`")
        }
        ("/commit", _) => Some("write a commit id of at least 7 lower-case hexadecimal digits"),
        _ => None,
    }
}
