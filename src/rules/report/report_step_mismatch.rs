//! See `report_step_mismatch.md`.

use crate::canon::report::Report;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::node::SpannedText;

pub(super) static RULE: Rule = Rule {
    id: "report-step-mismatch",
    summary: "step or attempt of a report does not match its file name",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("report_step_mismatch.md"),
    check: Check::Report(check),
};

fn check(report: &Report, findings: &mut RawFindings) {
    let (Ok(document), Some(name)) = (&report.document, &report.name) else { return };
    let mut compare = |key: &str, value: &Option<SpannedText>, named: &str| {
        let Some(value) = value.as_ref().filter(|value| value.text != named) else { return };
        let message = format!("`{key}` is `{}`, but the file name says `{named}`", value.text);
        let help = "correct the wrong one; the report counts for the step and attempt in its file name";
        findings.push(RawFinding::new(Location::at(&document.source, value.span), message).help(help));
    };
    compare("step_id", &document.step, &name.step);
    compare("attempt", &document.attempt, &name.attempt.to_string());
}
