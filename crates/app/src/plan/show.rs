//! The steps of a plan with their states.

use super::claims::known;
use super::gate::Gates;
use super::load::LoadedPlan;
use super::plan_folder::phase_of;
use super::{ClaimSummary, StepStatus, WaitReason};
use crate::{Error, RepoPath, Workspace};
use canonry_model::canon::plan::PlanStep;
use canonry_runs::plan::StepStates;
use canonry_runs::plan::layout::levels;
use canonry_runs::plan::phases::PhaseState;
use std::collections::HashMap;

/// A plan.
#[derive(Clone, Debug)]
pub struct PlanDetails {
    /// The plan's id.
    pub plan: String,
    /// The plan's file, from the top of the repository.
    pub path: RepoPath,
    /// The steps in file order.
    pub steps: Vec<StepState>,
    /// The phase.
    pub phase: PhaseState,
}

/// A step with its state.
#[derive(Clone, Debug)]
pub struct StepState {
    /// The id.
    pub id: String,
    /// The role that executes the step.
    pub owner: String,
    /// The status in the plan.
    pub status: StepStatus,
    /// Whether the step is pending and may start now: nothing else and no person is needed first.
    pub ready: bool,
    /// The dependencies, as indexes of steps.
    pub deps: Vec<usize>,
    /// The level: 0 without dependencies, otherwise one more than the latest of them.
    pub level: usize,
    /// Why a pending step cannot start now.
    pub waits: Option<WaitReason>,
    /// The claim on the step, as this clone knows it.
    pub claim: Option<ClaimSummary>,
    /// The number of reports on the step.
    pub attempts: usize,
}

/// Loads the plan, by default the only one, and computes the states.
///
/// # Errors
/// The plan is not found, or it has errors.
pub fn run(workspace: &Workspace, plan: Option<&str>) -> Result<PlanDetails, Error> {
    let loaded = LoadedPlan::load_with_reports(workspace, plan)?;
    let document = loaded.document()?;
    let steps = &document.steps;
    let states = StepStates::of_document(document);
    let levels = levels(steps.len(), |at| states.deps(at));
    let phase = phase_of(workspace, &loaded.folder(workspace), Some(&loaded))?;
    let mut claims = known(workspace, &loaded.id)?;
    let mut attempts: HashMap<&str, usize> = HashMap::new();
    for attempt in &loaded.plan.attempts {
        *attempts.entry(attempt.step.as_str()).or_default() += 1;
    }
    let gates = Gates::new(workspace, &loaded.id);
    // What cannot be decided cannot start.
    let person = |step: &PlanStep| match gates.gate(step) {
        Ok(gate) => gate.obstacle(),
        Err(error) => Some(error.message),
    };
    let mut state = |(at, step): (usize, &PlanStep)| {
        let is_pending = step.status == StepStatus::Pending;
        let waits = match states.obstacle(at) {
            None if is_pending => person(step).map(WaitReason::Person),
            other => other,
        };
        StepState {
            id: step.id_text().to_owned(),
            owner: step.owner.as_ref().map(|owner| owner.text.clone()).unwrap_or_default(),
            status: step.status,
            ready: is_pending && waits.is_none(),
            deps: states.deps(at).to_vec(),
            level: levels.get(at).copied().unwrap_or_default(),
            waits,
            claim: claims.remove(step.id_text()),
            attempts: attempts.get(step.id_text()).copied().unwrap_or_default(),
        }
    };
    let steps = steps.iter().enumerate().map(&mut state).collect();
    let path = workspace.view.full(&loaded.plan.path);
    let plan = loaded.id.clone();
    drop((states, attempts));
    Ok(PlanDetails { steps, path, phase, plan })
}
