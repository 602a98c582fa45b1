//! The dream: what it would do with the memory as it is now, and how its changes are written and committed. Shared by the
//! jobs that run a dream, report on it, undo it, or write the same files.

pub mod candidates;
pub mod plan;
pub mod questions;
pub mod removals;
pub mod run_log;
pub mod state;
pub mod transaction;

pub use plan::DreamPlan;
pub use state::MemoryState;

use crate::{Error, Workspace};
use canonry_memory::{DreamParams, LineExtent};
use canonry_text::secrets;
use serde_json::{Map, Value};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

/// Plans a dream for the memory as it is now. Writes nothing.
///
/// # Errors
/// [`crate::ErrorKind::Unreadable`] if a file of the memory cannot be read.
pub fn plan_dream(workspace: &Workspace, params: &DreamParams) -> Result<DreamPlan, Error> {
    let state = MemoryState::load(workspace, params)?;
    DreamPlan::build(workspace, state, params.clone())
}

/// Reads a line of the log again, without its line ending, and masks the secrets in it: other programs append rows too.
///
/// # Errors
/// The log can no longer be read.
pub fn read_line(log: &File, extent: LineExtent) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(extent.length).map_err(io::Error::other)?];
    log.read_exact_at(&mut bytes, extent.offset)?;
    if bytes.ends_with(b"\n") {
        bytes.pop();
    }
    if let Ok(mut row) = serde_json::from_slice::<Map<String, Value>>(&bytes)
        && secrets::redact_object(&mut row)
    {
        return serde_json::to_vec(&row).map_err(io::Error::other);
    }
    Ok(bytes)
}
