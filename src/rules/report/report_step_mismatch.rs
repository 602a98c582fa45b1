//! See `report_step_mismatch.md`.

use crate::canon::plan::SpannedText;
use crate::canon::report::Report;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "report-step-mismatch",
    summary: "a report whose step or attempt is not the one that its file is named after",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("report_step_mismatch.md"),
    check: Check::Report(check),
};

fn check(report: &Report, findings: &mut RawFindings) {
    let (Ok(document), Some(name)) = (&report.document, &report.name) else { return };
    let mut differs = |key: &str, said: &Option<SpannedText>, named: &str| {
        let Some(said) = said.as_ref().filter(|said| said.text != named) else { return };
        let message = format!("`{key}` is `{}`, but the file is named after `{named}`", said.text);
        let help = "correct the one that is wrong; a report counts for the step and the attempt in its name";
        findings.push(RawFinding::new(Location::at(&document.source, said.span), message).help(help));
    };
    differs("step_id", &document.step, &name.step);
    differs("attempt", &document.attempt, &name.attempt.to_string());
}
