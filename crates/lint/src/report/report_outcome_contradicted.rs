//! See `report_outcome_contradicted.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::report::Report;
use canonry_model::canon::report_entry::ReportEntry;
use canonry_model::finding::{Location, Severity};
use canonry_text::Span;

pub(super) static RULE: Rule = Rule {
    id: "report-outcome-contradicted",
    summary: "report of success with a failed test, command or criterion",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("report_outcome_contradicted.md"),
    check: Check::Report(check),
};

const HELP: &str = "write the outcome `failure`, or correct the result";

fn check(report: &Report, findings: &mut Vec<Finding>) {
    let Ok(document) = &report.document else { return };
    for entry in document.entries.iter().filter(|entry| entry.claims_success()) {
        let outcome = entry.outcome.as_ref().map(|outcome| outcome.span).unwrap_or_default();
        for (span, what) in contradictions(entry) {
            let finding =
                RULE.at(Location::at(&document.source, span), format!("the outcome is `success`, but {what}"));
            findings.push(finding.related(Location::at(&document.source, outcome), "the outcome").help(HELP));
        }
    }
}

fn contradictions(entry: &ReportEntry) -> Vec<(Span, String)> {
    let passed = entry.passed.filter(|(passed, _)| !passed);
    let mut found: Vec<(Span, String)> =
        passed.map(|(_, span)| (span, "`passed` is false".to_owned())).into_iter().collect();
    for test in entry.tests.iter().filter(|test| test.is_failure()) {
        found.push((test.result.span, format!("the result of `{}` is `{}`", test.test, test.result.text)));
    }
    for command in entry.commands.iter().filter(|command| command.exit_status.text != "0") {
        let status = &command.exit_status;
        found.push((status.span, format!("`{}` ended with status {}", command.command, status.text)));
    }
    found
}
