//! Work of tasks that share the work tree of people: canonry commits what changed since their step began.

use super::open_run::OpenRun;
use super::run_folder::RunFolder;
use crate::attempt::{SeenFile, see_files, work_files};
use crate::commit::{self, CommitRequest, CommitSelection};
use crate::error::listed;
use crate::{Error, ErrorKind, RepoPath, Workspace};
use canonry_repo::apply::write_atomically;
use canonry_repo::fs::read_if_exists;
use canonry_runs::workflow::event::{RunEvent, TaskEnd, TaskOutcome};
use canonry_runs::workflow::run_state::CurrentStep;
use gix::bstr::{BString, ByteSlice as _};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Digits of a commit id in the log.
const COMMIT_DIGITS: usize = 10;

/// The files that were changed before a visit of a step.
#[derive(Debug, Serialize, Deserialize)]
struct SeenByStep {
    step: String,
    visit: u64,
    files: BTreeSet<SeenFile>,
}

/// The message of a commit with the work of a task.
pub(super) fn commit_message(run: &str, step: &str, task: u64) -> String {
    format!("{step}: task {task} of run {run}\n")
}

impl OpenRun {
    /// Records which files are changed before the visit of the step at work begins: they are not its work. Without git, nothing is committed.
    ///
    /// # Errors
    /// The work tree cannot be read, or the record cannot be written.
    pub fn see_files(&self, workspace: &Workspace) -> Result<(), Error> {
        let Some(current) = &self.journal.state.current else { return Ok(()) };
        if workspace.repo().is_err() || self.seen(current)?.is_some() {
            return Ok(());
        }
        let seen = SeenByStep { step: current.step.clone(), visit: current.visit, files: see_files(workspace)? };
        let text = serde_json::to_vec(&seen).map_err(|e| Error::new(ErrorKind::Internal, e.to_string()))?;
        let path = self.folder.seen();
        write_atomically(&self.folder.path, &path, &text)
            .map_err(|e| Error::new(ErrorKind::Internal, format!("{}: {e}", path.display())))
    }

    fn seen(&self, current: &CurrentStep) -> Result<Option<BTreeSet<SeenFile>>, Error> {
        let path = self.folder.seen();
        let unreadable = |e: &dyn std::fmt::Display| {
            Error::new(ErrorKind::Unreadable, format!("{}: {e}", path.display())).help("remove the file")
        };
        let Some(bytes) = read_if_exists(&path).map_err(|e| unreadable(&e))? else { return Ok(None) };
        let seen: SeenByStep = serde_json::from_slice(&bytes).map_err(|e| unreadable(&e))?;
        Ok((seen.step == current.step && seen.visit == current.visit).then_some(seen.files))
    }

    /// Records the end of a task that shares the work tree, after a commit of what the tasks of its attempt changed: once the
    /// last one ends, if one of them has done its work. What cannot be committed is the failure of the task.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn end_shared_task(&mut self, workspace: &Workspace, number: u64, mut end: TaskEnd) -> Result<(), Error> {
        let mut events = Vec::new();
        if self.is_last_of_attempt(number, &end) {
            match self.commit_files(workspace, number) {
                Ok(Some(text)) => events.push(RunEvent::Note { text }),
                Ok(None) => {}
                Err(problem) => {
                    let error = end.error.take().unwrap_or_else(|| format!("its work cannot be committed: {problem}"));
                    end = TaskEnd { result: TaskOutcome::Failed, error: Some(error), ..end };
                }
            }
        }
        events.push(RunEvent::TaskEnded { number, end });
        self.record(workspace, events)
    }

    /// Whether no other task of the attempt runs, and one of them has done its work.
    fn is_last_of_attempt(&self, number: u64, end: &TaskEnd) -> bool {
        let Some(current) = &self.journal.state.current else { return false };
        let Some(task) = current.tasks.iter().find(|task| task.number == number) else { return false };
        let mut others = current.tasks.iter().filter(|other| other.attempt == task.attempt && other.number != number);
        let is_done = |end: &TaskEnd| end.result == TaskOutcome::Done;
        let has_done = is_done(end) || others.clone().any(|other| other.end.as_ref().is_some_and(is_done));
        has_done && others.all(|other| other.end.is_some())
    }

    fn commit_files(&self, workspace: &Workspace, number: u64) -> Result<Option<String>, Error> {
        let Some(current) = &self.journal.state.current else { return Ok(None) };
        let Some(seen) = self.seen(current)? else { return Ok(None) };
        let mut paths: Vec<BString> = Vec::new();
        for full in work_files(workspace)? {
            if !seen.contains(&SeenFile::now(workspace, &full)?) {
                paths.push(full.as_bstr().to_owned());
            }
        }
        let message = commit_message(&self.folder.id, &current.step, number);
        let selection = CommitSelection::Literal(&paths);
        let request = CommitRequest { selection, message: &message, hooks: workspace.env.git_hooks };
        let committed = if paths.is_empty() { None } else { commit::run_or_stage(&workspace.env, &request)? };
        Ok(committed.map(|committed| {
            let files = committed.changes.iter().map(|change| RepoPath::new(change.path.as_bstr()));
            let files: Vec<RepoPath> = files.collect();
            format!("committed {} as {}", listed(&files), committed.id.to_hex_with_len(COMMIT_DIGITS))
        }))
    }
}

impl RunFolder {
    /// The files that were changed before the step at work began.
    fn seen(&self) -> PathBuf {
        self.path.join("seen.json")
    }
}
