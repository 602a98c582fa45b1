//! Shows plans, finds the next step, and changes the status of a step.

pub mod claim;
mod claim_store;
// Parts of it are for the coordinator.
#[allow(dead_code)]
mod claims;
mod load;
pub mod next;
pub mod release;
pub mod set;
pub mod show;

pub use crate::canon::plan::StepStatus;
pub use claims::ClaimSummary;

use crate::canon::plan::PlanStep;
use crate::plan::Obstacle;

/// Why a pending step cannot start now. Steps are named by their ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// These dependencies are not complete.
    Deps(Vec<String>),
    /// This step is in progress, and one of the two runs alone.
    RunsAlone(String),
    /// This step is in progress and names the same file.
    SharedFile {
        /// The step in progress.
        step: String,
        /// The file.
        file: String,
    },
}

impl WaitReason {
    fn new(obstacle: Obstacle, steps: &[PlanStep]) -> Self {
        let id = |at: usize| steps.get(at).map_or("", PlanStep::id_text).to_owned();
        match obstacle {
            Obstacle::Deps(deps) => Self::Deps(deps.into_iter().map(id).collect()),
            Obstacle::RunsAlone(step) => Self::RunsAlone(id(step)),
            Obstacle::SharedFile { step, file } => Self::SharedFile { step: id(step), file },
        }
    }
}
