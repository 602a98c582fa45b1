//! The dream: what it would do with the memory as it is now, and how its changes are written and committed. Shared by the
//! jobs that run a dream, report on it, undo it, or write the same files.
//!
//! A dream goes one way. [`state::load`] reads the log, decides about its rows, and reads what these decisions involve;
//! [`DreamPlan`] decides the rest; [`transaction`] writes.

pub mod plan;
pub mod removals;
pub mod run_log;
pub mod state;
pub mod transaction;

pub use plan::DreamPlan;

use crate::{Error, Workspace};
use canonry_memory::DreamParams;

/// Plans a dream for the memory as it is once the pending rows are in the log. Writes nothing.
///
/// # Errors
/// [`crate::ErrorKind::Unreadable`] if a file of the memory cannot be read.
pub fn plan_dream(workspace: &Workspace, params: &DreamParams) -> Result<DreamPlan, Error> {
    let (decision, state) = state::load(workspace, params)?;
    DreamPlan::build(workspace, decision, state, params.clone())
}
