//! Part of `report-schema`: report is not valid JSON.

use crate::RawFindings;
use canonry_model::canon::report::Report;
use canonry_model::finding::{Location, RawFinding};

pub(super) fn check(report: &Report, findings: &mut RawFindings) {
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
