//! Part of `report-step-mismatch`: report that belongs to no plan.

use super::report_step_mismatch::RULE;
use crate::Finding;
use canonry_model::canon::report::{Report, ReportForm, ReportPlace};
use canonry_model::finding::Location;

pub(super) fn check(report: &Report, findings: &mut Vec<Finding>) {
    let message = match report.place {
        ReportPlace::Nested => "the report is not directly in the folder of a plan, so no plan counts it",
        ReportPlace::Flat if report.is_ambiguous && !is_other(report) => {
            "the report names no plan, and there are several, so no plan counts it"
        }
        _ => return,
    };
    let help = "move it to `reports/<plan>/`, usually as `<step>.<attempt>.json`, or add the id of the plan as `plan`";
    findings.push(RULE.at(Location::file(&report.path), message).help(help));
}

/// Other data among the artifacts needs no plan.
fn is_other(report: &Report) -> bool {
    report.document.as_ref().is_ok_and(|document| document.form == ReportForm::Other)
}
