//! The prompt of a worker.

use super::load::LoadedPlan;
use super::run::records::AttemptRecord;
use crate::app::{Error, Workspace};
use crate::canon::plan::PlanStep;
use crate::plan::AttemptHistory;

pub(super) fn build(
    _: &Workspace,
    loaded: &LoadedPlan,
    step: &PlanStep,
    record: &AttemptRecord,
) -> Result<String, Error> {
    let history = AttemptHistory::from_reports(loaded.plan.attempts_at(step));
    Ok(format!("{} {}\n{:?}", step.id_text(), record.attempt, history.failures))
}

pub(super) fn preview(_: &Workspace, _: &LoadedPlan, step: &PlanStep) -> Result<String, Error> {
    Ok(step.id_text().to_owned())
}
