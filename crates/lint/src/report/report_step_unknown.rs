//! Part of `report-step-mismatch`: report on a step that the plan does not have.

use super::report_step_mismatch::RULE;
use crate::Finding;
use canonry_model::canon::plan::PlanStep;
use canonry_model::canon::report::Report;
use canonry_model::canon::reported_plan::ReportedPlan;
use canonry_model::config::closest_match;
use canonry_model::finding::Location;

/// The number of steps that an unknown one is compared with. Each unknown step is compared with all of them.
const COMPARED: usize = 1_000;

pub(super) fn check(report: &Report, findings: &mut Vec<Finding>) {
    let Some(plan) = &report.plan else { return };
    let location = Location::file(&report.path);
    match report.name().filter(|_| !report.is_combined()) {
        Some(name) if plan.step(&name.step).is_none() => findings.push(finding(plan, &name.step, location)),
        Some(_) => {}
        None => {
            let Ok(document) = &report.document else { return };
            let steps = document.entries.iter().filter_map(|entry| entry.step.as_ref());
            for step in steps.filter(|step| plan.step(&step.text).is_none()) {
                findings.push(finding(plan, &step.text, Location::at(&document.source, step.span)));
            }
        }
    }
}

fn finding(plan: &ReportedPlan, step: &str, location: Location) -> Finding {
    let ids = plan.document.steps.iter().take(COMPARED).map(PlanStep::id_text);
    RULE.at(location, format!("the plan `{}` has no step `{step}`", plan.id)).help(match closest_match(step, ids) {
        Some(step) => format!("did you mean `{step}`?"),
        None => "rename the report together with its step, or suppress this finding to keep it as a record".to_owned(),
    })
}
