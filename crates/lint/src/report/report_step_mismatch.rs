//! See `report_step_mismatch.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::plan::PlanStep;
use canonry_model::canon::report::{Report, ReportForm, ReportPlace};
use canonry_model::canon::reported_plan::ReportedPlan;
use canonry_model::finding::{Location, Severity};
use canonry_text::closest_match;
use canonry_text::node::SpannedText;

pub(super) static RULE: Rule = Rule {
    id: "report-step-mismatch",
    summary: "report does not belong to the plan, step or attempt of its place",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("report_step_mismatch.md"),
    check: Check::Each(&[
        Check::Report(check),
        Check::At(Defaults::both(Severity::Warning), &Check::Report(check_place)),
        Check::At(Defaults::both(Severity::Warning), &Check::Report(check_step)),
    ]),
};

/// The number of steps that an unknown one is compared with. Each unknown step is compared with all of them.
const COMPARED: usize = 1_000;

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

/// Report that belongs to no plan.
fn check_place(report: &Report, findings: &mut Vec<Finding>) {
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

/// Report on a step that the plan does not have.
fn check_step(report: &Report, findings: &mut Vec<Finding>) {
    let Some(plan) = &report.plan else { return };
    let location = Location::file(&report.path);
    match report.name().filter(|_| !report.is_combined()) {
        Some(name) if plan.step(&name.step).is_none() => findings.push(unknown_step(plan, &name.step, location)),
        Some(_) => {}
        None => {
            let Ok(document) = &report.document else { return };
            let steps = document.entries.iter().filter_map(|entry| entry.step.as_ref());
            for step in steps.filter(|step| plan.step(&step.text).is_none()) {
                findings.push(unknown_step(plan, &step.text, Location::at(&document.source, step.span)));
            }
        }
    }
}

fn unknown_step(plan: &ReportedPlan, step: &str, location: Location) -> Finding {
    let ids = plan.document.steps.iter().take(COMPARED).map(PlanStep::id_text);
    RULE.at(location, format!("the plan `{}` has no step `{step}`", plan.id)).help(match closest_match(step, ids) {
        Some(step) => format!("did you mean `{step}`?"),
        None => "rename the report together with its step, or suppress this finding to keep it as a record".to_owned(),
    })
}
