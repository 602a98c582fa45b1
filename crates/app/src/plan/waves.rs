//! Preview of `run exec`: the order of the steps, the command and the prompt of each.

use super::load::LoadedPlan;
use super::prompts;
use crate::workers::Library;
use crate::{Error, RepoPath, Workspace};
use canonry_model::canon::owners::{Budget, Isolation};
use canonry_runs::plan::waves as plan_waves;

/// The order of a run in which every attempt succeeds.
#[derive(Clone, Debug)]
pub struct PlanWaves {
    /// The plan's id.
    pub plan: String,
    /// The plan's file, from the top of the repository.
    pub path: RepoPath,
    /// The limits of a run.
    pub budget: Budget,
    /// The steps that run at the same time, wave by wave.
    pub waves: Vec<Vec<PlannedStep>>,
}

/// A step of a run.
#[derive(Clone, Debug)]
pub struct PlannedStep {
    /// The id.
    pub id: String,
    /// The role that executes the step.
    pub owner: String,
    /// The worker's program and arguments.
    pub argv: Vec<String>,
    /// The worker's prompt.
    pub prompt: String,
    /// Whether the worker gets its own worktree.
    pub worktree: bool,
}

/// Computes the order of a plan, by default the only one. `workers` replaces the number of workers in `owners.yaml`.
///
/// # Errors
/// The plan or the owners have errors.
pub fn run(workspace: &Workspace, plan: Option<&str>, workers: Option<usize>) -> Result<PlanWaves, Error> {
    let loaded = LoadedPlan::load_with_reports(workspace, plan)?;
    let steps = &loaded.document()?.steps;
    let owners = crate::owners::load(workspace)?;
    let budget = Budget { workers: workers.unwrap_or(owners.budget.workers).max(1), ..owners.budget };
    let library = Library::load(workspace);
    let planned = |at: usize| -> Result<Option<PlannedStep>, Error> {
        let Some(step) = steps.get(at) else { return Ok(None) };
        let owner = super::owners::require(workspace, &owners, step)?;
        Ok(Some(PlannedStep {
            id: step.id_text().to_owned(),
            owner: step.owner.as_ref().map(|owner| owner.text.clone()).unwrap_or_default(),
            argv: owner.argv.clone(),
            prompt: prompts::preview(&library, &loaded, step, owner.isolation == Isolation::Worktree)?,
            worktree: owner.isolation == Isolation::Worktree,
        }))
    };
    let waves = plan_waves(steps, budget.workers).into_iter();
    let waves = waves.map(|wave| wave.into_iter().filter_map(|at| planned(at).transpose()).collect());
    Ok(PlanWaves {
        waves: waves.collect::<Result<_, Error>>()?,
        path: workspace.view.full(&loaded.plan.path),
        budget,
        plan: loaded.id,
    })
}
