//! Runs the tasks of the canon, one after the other.

use super::load::LoadedWorkflow;
use super::run::{self, RunWorkflowRequest};
use super::run_folder::RunFolder;
use super::run_journal::RunJournal;
use super::start::{self, StartRunRequest};
use crate::workers::Observer;
use crate::{Environment, Error, ErrorKind, Workspace};
use canonry_repo::view::Basis;
use canonry_runs::exec::{RunEnd, RunOutcome};

/// Result of a queue.
#[derive(Clone, Debug)]
pub struct QueueOutcome {
    /// The runs, oldest first. All but the last are complete.
    pub runs: Vec<RunOutcome>,
    /// Whether no task is left.
    pub is_empty: bool,
}

/// Runs each ready task until none is left, or a run does not complete. An open run of a task goes first.
///
/// # Errors
/// See [`start::run`] and [`run::run`].
pub fn run(
    env: &Environment,
    workflow: Option<&str>,
    request: &RunWorkflowRequest,
    observer: &dyn Observer,
) -> Result<QueueOutcome, Error> {
    let mut runs = Vec::new();
    loop {
        let workspace = Workspace::open(env, &Basis::WorkTree)?;
        let loaded = LoadedWorkflow::load(&workspace, workflow)?;
        if !start::uses_task(&workspace, &loaded)? {
            let message = format!("`{}` has no prompt with {{{{task}}}}", loaded.name);
            return Err(Error::new(ErrorKind::Usage, message).help("use it where the workflow says what to do"));
        }
        let id = match open_run(&workspace, &loaded.name)? {
            Some(id) => id,
            None => {
                let next = StartRunRequest { workflow: Some(loaded.name), ..StartRunRequest::default() };
                match start::run(&workspace, &next)? {
                    Some(started) => started.run,
                    None => return Ok(QueueOutcome { runs, is_empty: true }),
                }
            }
        };
        let outcome = run::run(workspace, &id, request, observer)?;
        let is_complete = outcome.end == RunEnd::Complete;
        runs.push(outcome);
        if !is_complete {
            return Ok(QueueOutcome { runs, is_empty: false });
        }
    }
}

/// The first open run of a task that no other process runs.
fn open_run(workspace: &Workspace, workflow: &str) -> Result<Option<String>, Error> {
    for folder in RunFolder::all(workspace)? {
        // A damaged journal is reported when its run is named.
        let Ok(journal) = RunJournal::open(&folder) else { continue };
        let start = &journal.state.start;
        if start.workflow == workflow && start.task_id.is_some() && !journal.state.is_ended() && !folder.is_running() {
            return Ok(Some(folder.id));
        }
    }
    Ok(None)
}
