//! See `report_schema.md`.

use crate::canon::report::Report;
use crate::canon::schema::Violation;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::violations::describe;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "report-schema",
    summary: "a report that lacks a required key or has a value that it must not have",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("report_schema.md"),
    check: Check::Report(check),
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
            Some("`success` for a step that is done, `failure` for one to try again, `blocked` for one that waits")
        }
        ("", Some("artifacts")) => {
            Some("list the files that were changed and the tests that were run; `[]` where there are none")
        }
        (_, Some("file" | "status" | "result")) => {
            Some("an artifact is a `file` with its `status`, or a `test` with its `result`")
        }
        ("/commit", _) => Some("give the commit's id in lower-case hexadecimal digits, at least 7"),
        _ => None,
    }
}
