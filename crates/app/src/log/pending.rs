//! Moving the pending rows of hooks to the log.

use crate::memory_files::refuse_linked_log;
use crate::{Error, Workspace};

/// Moves the pending rows to the log. Can be repeated after a kill. Returns whether there were any.
///
/// # Errors
/// [`crate::ErrorKind::Unreadable`] if the log is a link; [`crate::ErrorKind::Internal`] if a file cannot be read or written.
pub fn take_pending(workspace: &Workspace) -> Result<bool, Error> {
    let log = workspace.layout.log();
    let (Some(pending), Some(path)) = (workspace.pending_log(), workspace.view.on_disk(&log)) else { return Ok(false) };
    refuse_linked_log(workspace)?;
    Ok(pending.move_to(workspace.repo()?.git_dir(), &path)?)
}
