//! Workers that outlived the run that started them.

use super::running::GRACE;
use crate::app::{Error, ErrorKind};
use crate::exec::group::end_group;

/// Ends the worker of a run that was killed. `identity` is what [`super::RunningWorker::identity`] returned; a text that is
/// none is ignored. Returns whether there was something to end. A process that only has the same id is left alone.
///
/// # Errors
/// [`ErrorKind::Internal`] if the worker does not end: its files cannot be trusted to stay as they are.
pub(in crate::app) fn end_orphan(identity: &str) -> Result<bool, Error> {
    let Ok(worker) = identity.parse() else { return Ok(false) };
    end_group(&worker, GRACE).map_err(|e| Error::new(ErrorKind::Internal, format!("a worker cannot be ended: {e}")))
}
