//! The states of plans and runs.

pub use super::run_status::{AttemptState, OpenAttempt, RunPhase, RunStatus, StepClaim, StepCounts, WorkflowPosition};
use super::target::PlanOrRun;
use crate::{Error, Workspace, plan, workflow};
use canonry_runs::exec::RunKind;

/// Reads the state of a plan or a run.
///
/// # Errors
/// It is not found, or it has errors.
pub fn run(workspace: &Workspace, target: &PlanOrRun) -> Result<RunStatus, Error> {
    match target {
        PlanOrRun::Plan(id) => plan::status::read(workspace, id),
        PlanOrRun::Run(id) => workflow::status::read(workspace, id),
    }
}

/// The states of the plans by id, then of the runs by id: those that have work left, with `all` the others too. Neither asks a
/// remote nor writes.
///
/// # Errors
/// A folder cannot be listed.
pub fn list(workspace: &Workspace, all: bool) -> Result<Vec<RunStatus>, Error> {
    workspace.require_canon()?;
    // An intake alone is not executed.
    let plans = plan::paths(workspace)?.into_iter().filter(|(_, path)| path.file_name() != "intake.md");
    let plans = plans.map(|(id, _)| {
        let status = plan::status::read_known(workspace, &id);
        (id, RunKind::Plan, status)
    });
    let runs = workflow::run_ids(workspace)?.into_iter().map(|id| {
        let status = workflow::status::read(workspace, &id);
        (id, RunKind::Workflow, status)
    });
    let states = plans.chain(runs).map(|(name, kind, status)| {
        status.unwrap_or_else(|error| RunStatus::new(name, kind, RunPhase::Unreadable { reason: error.message }))
    });
    Ok(states.filter(|status| all || !status.is_ended()).collect())
}
