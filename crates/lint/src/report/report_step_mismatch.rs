//! See `report_step_mismatch.md`.

use super::report_name;
use super::report_step_unknown;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::report::Report;
use canonry_model::finding::{Location, Severity};
use canonry_text::node::SpannedText;

pub(super) static RULE: Rule = Rule {
    id: "report-step-mismatch",
    summary: "report does not belong to the plan, step or attempt of its place",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("report_step_mismatch.md"),
    check: Check::Each(&[
        Check::Report(check),
        Check::At(Defaults::both(Severity::Warning), &Check::Report(report_name::check)),
        Check::At(Defaults::both(Severity::Warning), &Check::Report(report_step_unknown::check)),
    ]),
};

fn check(report: &Report, findings: &mut Vec<Finding>) {
    let (Ok(document), Some(name), false) = (&report.document, report.name(), report.is_combined()) else { return };
    let Some(entry) = document.entries.first() else { return };
    let mut compare = |key: &str, value: &Option<SpannedText>, named: &str| {
        let Some(value) = value.as_ref().filter(|value| value.text != named) else { return };
        let message = format!("`{key}` is `{}`, but the file name says `{named}`", value.text);
        let help = "correct the wrong one; the report counts for the step and attempt in its file name";
        findings.push(RULE.at(Location::at(&document.source, value.span), message).help(help));
    };
    compare("step_id", &entry.step, &name.step);
    compare("attempt", &entry.attempt, &name.attempt.to_string());
}
