//! The steps of a plan in numbers.

use super::StepStatus;
use super::gate::Gates;
use super::load::LoadedPlan;
use crate::{Error, Workspace};
use canonry_model::canon::plan::PlanStep;
use canonry_runs::plan::{Gate, StepStates};

/// The steps of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanSummary {
    /// The number of steps.
    pub steps: usize,
    /// Complete steps.
    pub complete: usize,
    /// Steps in progress.
    pub in_progress: usize,
    /// Pending steps that a worker may start now.
    pub ready: usize,
    /// Steps that are blocked.
    pub blocked: Vec<String>,
    /// Steps that could start if a person approved them.
    pub unapproved: Vec<String>,
}

impl PlanSummary {
    /// Whether no step is left.
    pub fn is_complete(&self) -> bool {
        self.complete == self.steps
    }
}

/// Counts the steps of a plan by what becomes of them next.
///
/// # Errors
/// The plan has errors, or the team's permissions or an approval cannot be read.
pub fn summarize(workspace: &Workspace, plan: &str) -> Result<PlanSummary, Error> {
    let loaded = LoadedPlan::load(workspace, Some(plan))?;
    let document = loaded.document()?;
    let steps = &document.steps;
    let states = StepStates::of_document(document);
    let ids = |status: StepStatus| {
        let with = steps.iter().filter(move |step| step.status == status);
        with.map(|step| step.id_text().to_owned())
    };
    let mut summary = PlanSummary {
        steps: steps.len(),
        complete: ids(StepStatus::Complete).count(),
        in_progress: ids(StepStatus::InProgress).count(),
        blocked: ids(StepStatus::Blocked).collect(),
        ..PlanSummary::default()
    };
    let may_start: Vec<&PlanStep> =
        steps.iter().enumerate().filter(|(at, _)| states.is_ready(*at)).map(|(_, step)| step).collect();
    if may_start.is_empty() {
        return Ok(summary);
    }
    let gates = Gates::new(workspace, &loaded.id);
    for step in may_start {
        match gates.gate(step)? {
            Gate::Open | Gate::Approved => summary.ready += 1,
            Gate::NeedsApproval(_) => summary.unapproved.push(step.id_text().to_owned()),
            Gate::Forbidden(_) => summary.blocked.push(step.id_text().to_owned()),
        }
    }
    Ok(summary)
}
