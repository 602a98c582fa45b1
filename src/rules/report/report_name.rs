//! See `report_name.md`.

use crate::canon::report::Report;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "report-name",
    summary: "report file is not named after its plan, step and attempt",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("report_name.md"),
    check: Check::Report(check),
};

fn check(report: &Report, findings: &mut RawFindings) {
    if report.name.is_some() {
        return;
    }
    let message = "the path does not name the plan, step and attempt, so no plan counts the report";
    let help = "move it to `reports/<plan>/<step>.<attempt>.json`; attempts start at 1";
    findings.push(RawFinding::new(Location::file(&report.path), message).help(help));
}
