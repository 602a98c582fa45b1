//! See `report_step_unknown.md`.

use crate::canon::report::Report;
use crate::config::closest_match;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "report-step-unknown",
    summary: "report on a step that the plan does not have",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("report_step_unknown.md"),
    check: Check::Report(check),
};

fn check(report: &Report, findings: &mut RawFindings) {
    let (Some(name), Some(steps)) = (&report.name, &report.steps) else { return };
    if steps.contains(&name.step) {
        return;
    }
    let message = format!("the plan `{}` has no step `{}`", name.plan, name.step);
    findings.push(RawFinding::new(Location::file(&report.path), message).help(
        match closest_match(&name.step, steps.iter().map(String::as_str)) {
            Some(step) => format!("did you mean `{step}`?"),
            None => {
                "rename the report together with its step, or suppress this finding to keep it as a record".to_owned()
            }
        },
    ));
}
