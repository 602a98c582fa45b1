//! See `report_unreadable.md`.

use crate::canon::report::Report;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule, missing};

pub(super) static RULE: Rule = Rule {
    id: "report-unreadable",
    summary: "a report that gives no text: no bytes, or bytes that are not UTF-8",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("report_unreadable.md"),
    check: Check::Report(check),
};

fn check(report: &Report, drafts: &mut RawFindings) {
    drafts.extend(report.document.as_ref().err().map(|why| missing::draft(&report.path, "report", why)));
}
