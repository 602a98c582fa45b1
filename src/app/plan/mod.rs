//! Creates, checks and shows plans, finds the next step, changes the status of a step, combines reports.

mod artefacts;
pub mod check;
pub mod export;
mod load;
pub mod new;
pub mod next;
pub mod report;
pub mod set;
pub mod show;

pub use crate::canon::plan::StepStatus;

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
