//! Part of `report-schema`: report is not valid JSON.

use super::report_schema::RULE;
use crate::Finding;
use canonry_model::canon::report::Report;
use canonry_model::finding::Location;

pub(super) fn check(report: &Report, findings: &mut Vec<Finding>) {
    let Ok(document) = &report.document else { return };
    let source = &document.source;
    match &document.json {
        Err(error) => {
            let message = format!("invalid JSON: {}", error.message);
            findings.push(RULE.at(Location::at(source, error.span), message).help("write one JSON object"));
        }
        Ok(json) => findings.extend(json.duplicates.iter().map(|duplicate| {
            RULE.at(Location::at(source, duplicate.span), format!("duplicate key `{}`", duplicate.key))
                .related(Location::at(source, duplicate.first), "first defined here; most parsers ignore this value")
                .help("keep one of the two")
        })),
    }
}
