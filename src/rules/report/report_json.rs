//! See `report_json.md`.

use crate::canon::report::Report;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "report-json",
    summary: "report is not valid JSON",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("report_json.md"),
    check: Check::Report(check),
};

fn check(report: &Report, findings: &mut RawFindings) {
    let Ok(document) = &report.document else { return };
    let source = &document.source;
    match &document.json {
        Err(error) => {
            let message = format!("invalid JSON: {}", error.message);
            findings.push(RawFinding::new(Location::at(source, error.span), message).help("write one JSON object"));
        }
        Ok(json) => findings.extend(json.duplicates.iter().map(|duplicate| {
            RawFinding::new(Location::at(source, duplicate.span), format!("duplicate key `{}`", duplicate.key))
                .related(Location::at(source, duplicate.first), "first defined here; most parsers ignore this value")
                .help("keep one of the two")
        })),
    }
}
