//! Work of tasks that share the work tree of people: canonry commits what changed since their step began.

use super::open_run::OpenRun;
use super::task_trees::TaskTrees;
use crate::attempt::{SeenFile, SeenFiles, work_files};
use crate::error::listed;
use crate::{Error, Workspace};
use canonry_model::canon::approval::file_name;
use canonry_runs::plan::run::{Accepted, WorkError};
use canonry_runs::workflow::event::{TaskEnd, TaskOutcome};
use canonry_runs::workflow::run_state::CurrentStep;
use canonry_text::printable::head;

/// Digits of a commit id in the log.
const COMMIT_DIGITS: usize = 10;

impl OpenRun {
    /// Records which files are changed before the visit of the step at work begins: they are not its work. Without git, nothing is committed.
    ///
    /// # Errors
    /// The work tree cannot be read, or the record cannot be written.
    pub fn see_files(&self, workspace: &Workspace) -> Result<(), Error> {
        let Some(current) = &self.journal.state.current else { return Ok(()) };
        if workspace.repo().is_err() { Ok(()) } else { self.seen(current).record(workspace) }
    }

    fn seen(&self, current: &CurrentStep) -> SeenFiles {
        SeenFiles::new(&self.folder.tasks(), &format!("{}.{}", file_name(&current.step), current.visit))
    }

    /// Commits what the tasks of an attempt changed, once the last one ends, if one of them has done its work. Returns what was
    /// committed, in words.
    ///
    /// # Errors
    /// See [`WorkError`].
    pub fn commit_shared(
        &self,
        workspace: &Workspace,
        number: u64,
        end: &TaskEnd,
    ) -> Result<Option<String>, WorkError<Error>> {
        let Some(current) = &self.journal.state.current else { return Ok(None) };
        if !is_last_of_attempt(current, number, end) {
            return Ok(None);
        }
        let Some(seen) = self.seen(current).read()? else { return Ok(None) };
        let trees = TaskTrees::new(workspace, &self.folder.id);
        let work = trees.work(&current.step, number);
        loop {
            let mut paths = Vec::new();
            for full in work_files(workspace)? {
                if !seen.contains(&SeenFile::now(workspace, &full)?) {
                    paths.push(full);
                }
            }
            if paths.is_empty() {
                return Ok(None);
            }
            let candidate = work.files(paths.iter().map(|path| path.as_bstr().to_owned()).collect())?;
            match work.accept(&candidate)? {
                Accepted::Complete { commit, .. } => {
                    let commit = commit.unwrap_or_default();
                    let id = head(&commit, COMMIT_DIGITS);
                    return Ok(Some(format!("committed {} as {id}", listed(&paths))));
                }
                Accepted::Conflict(problem) | Accepted::Refused(problem) => return Err(WorkError::Attempt(problem)),
                Accepted::Moved => {}
            }
        }
    }
}

/// Whether no other task of the attempt runs, and one of them has done its work.
fn is_last_of_attempt(current: &CurrentStep, number: u64, end: &TaskEnd) -> bool {
    let Some(task) = current.tasks.iter().find(|task| task.number == number) else { return false };
    let mut others = current.tasks.iter().filter(|other| other.attempt == task.attempt && other.number != number);
    let is_done = |end: &TaskEnd| end.result == TaskOutcome::Done;
    let has_done = is_done(end) || others.clone().any(|other| other.end.as_ref().is_some_and(is_done));
    has_done && others.all(|other| other.end.is_some())
}
