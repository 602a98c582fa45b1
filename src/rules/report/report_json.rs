//! See `report_json.md`.

use crate::canon::report::Report;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "report-json",
    summary: "a report that is no JSON, or in which a key stands twice",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("report_json.md"),
    check: Check::Report(check),
};

fn check(report: &Report, findings: &mut RawFindings) {
    let Ok(document) = &report.document else { return };
    let source = &document.source;
    match &document.json {
        Err(error) => {
            let message = format!("not valid JSON: {}", error.message);
            findings
                .push(RawFinding::new(Location::at(source, error.span), message).help("a report is one JSON object"));
        }
        Ok(json) => findings.extend(json.duplicates.iter().map(|twice| {
            RawFinding::new(Location::at(source, twice.span), format!("the key `{}` stands twice", twice.key))
                .related(Location::at(source, twice.first), "it stands here first, and most readers overlook this one")
                .help("keep one of the two")
        })),
    }
}
