//! Plans: begins, checks and shows them, executes them, verifies and reports what was done, and exports them.

pub mod approve;
mod by_hand;
pub mod claim;
mod claim_store;
pub(crate) mod claims;
mod committed;
pub(crate) mod edits;
mod episode;
pub mod export;
pub mod finish;
mod gate;
mod load;
pub mod new;
pub mod next;
pub(crate) mod old_claims;
mod owners;
mod plan_folder;
mod prompts;
pub mod push;
pub mod release;
pub(crate) mod report;
pub mod run;
pub mod set;
pub mod show;
pub(crate) mod status;
mod step_commit;
mod upstream;
mod verification;
pub mod verify;
pub mod waves;
mod work;

pub use canonry_model::canon::plan::StepStatus;
pub use canonry_runs::plan::WaitReason;
pub use claims::ClaimSummary;
pub(crate) use load::{elsewhere, has_step, id_of};
pub(crate) use plan_folder::{PlanFolder, paths};
