//! Ends a run. Its folder stays, and so does the work of candidates. The workers of another process end at once.

use super::open_run::OpenRun;
use crate::{Error, ErrorKind, Workspace};
use canonry_runs::workflow::event::{RunEvent, WorkflowEnd};

/// Which run, and why.
#[derive(Clone, Debug, Default)]
pub struct AbortRunRequest {
    /// The run's id.
    pub run: String,
    /// Why.
    pub reason: Option<String>,
}

/// Ends a run and returns its id.
///
/// # Errors
/// [`ErrorKind::Refused`] if it has ended; [`ErrorKind::Unreadable`] if there is no such run.
pub fn run(workspace: &Workspace, request: &AbortRunRequest) -> Result<String, Error> {
    let mut open = OpenRun::open(workspace, &request.run)?;
    let id = open.folder.id.clone();
    // Another process that runs it does this itself.
    if let Ok(_lock) = open.folder.lock() {
        open.journal.refresh()?;
        if !open.journal.state.is_ended() {
            open.leave_step(workspace)?;
        }
    }
    let reason = request.reason.clone().or_else(|| Some("by a person".to_owned()));
    open.journal.update(workspace.env.clock.now(), |state| match &state.end {
        Some(_) => Err(Error::new(ErrorKind::Refused, format!("the run `{id}` has ended already"))),
        None => Ok((vec![RunEvent::RunEnded { end: WorkflowEnd::Aborted, reason }], ())),
    })?;
    open.record(workspace, Vec::new())?;
    Ok(id)
}
