//! Plans: begins, checks and shows them, executes them, verifies and reports what was done, and exports them.

pub mod approve;
mod attempt_folder;
pub mod check;
pub mod claim;
mod claim_store;
mod claims;
mod committed;
mod edits;
mod episode;
pub mod export;
pub mod finish;
mod gate;
pub(in crate::app) mod lessons;
mod load;
pub mod new;
pub mod next;
mod owners;
mod plan_folder;
mod prompts;
pub mod release;
pub mod report;
pub mod run;
pub mod set;
pub mod show;
pub mod status;
pub mod summary;
mod verification;
pub mod verify;
pub mod waves;

pub use crate::canon::plan::StepStatus;
pub use claims::ClaimSummary;

use crate::canon::plan::PlanStep;
use crate::plan::Obstacle;

/// Why a pending step cannot start now. Steps are named by their ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// These dependencies are not complete.
    Deps(Vec<String>),
    /// A person decides first, for this reason.
    Person(String),
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
