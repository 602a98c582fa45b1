//! The overview of a memory.

use super::inspection::MemoryInspection;
use crate::{Error, Progress, Workspace};
pub use canonry_memory::overview::MemoryOverview;
use canonry_model::canon::timestamp::Timestamp;

/// Which overview to make.
#[derive(Clone, Copy, Debug)]
pub struct MemoryStatusRequest {
    /// The time the overview is about; the current time by default.
    pub now: Option<Timestamp>,
    /// The maximum number of patterns, and of departing rows.
    pub top: usize,
}

/// Makes the overview. Writes nothing.
///
/// # Errors
/// [`crate::ErrorKind::Unreadable`] if a file of the memory cannot be read.
pub fn run(
    workspace: &Workspace,
    request: &MemoryStatusRequest,
    _progress: &dyn Progress,
) -> Result<MemoryOverview, Error> {
    MemoryInspection::load(workspace, request.now)?.overview(request.top)
}
