//! Work of tasks: on a branch of their own, or in the work tree that people use too.
//!
//! Candidates never share a work tree, and only the chosen work is merged. A branch with other work is kept and named. The names
//! follow from the run, the step and the task, so that a run that continues finds the trees of a killed one.

use super::open_run::OpenRun;
use crate::attempt::{AttemptWork, branch_tip, fork, last_commit, tree_folder};
use crate::error::listed;
use crate::workers::{end_orphan, remove_empty_folders, remove_report};
use crate::{Error, ErrorKind, Workspace};
use canonry_model::canon::owners::Integration;
use canonry_repo::git::worktrees::{self, AttemptName, AttemptTree, Removal};
use canonry_runs::plan::run::{Accepted, WorkError};
use canonry_runs::workflow::engine::Candidates;
use canonry_runs::workflow::event::{RunEvent, TaskEnd};
use canonry_text::secrets::without_secrets;
use std::path::PathBuf;

/// The work trees of a run.
pub(super) struct TaskTrees<'w> {
    workspace: &'w Workspace,
    run: &'w str,
}

impl<'w> TaskTrees<'w> {
    pub fn new(workspace: &'w Workspace, run: &'w str) -> Self {
        Self { workspace, run }
    }

    /// The branch of a task.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] if there is no commit to start from.
    pub fn branch(&self, step: &str, task: u64) -> Result<String, Error> {
        last_commit(self.workspace)?;
        let branch = self.name(step, task).branch();
        branch.ok_or_else(|| Error::new(ErrorKind::Refused, format!("`{step}` is too long for the name of a branch")))
    }

    /// Creates the work tree of a task, at the last commit.
    ///
    /// # Errors
    /// There is no commit, or git refuses.
    pub fn create(&self, step: &str, task: u64) -> Result<AttemptTree, Error> {
        fork(self.workspace, &self.name(step, task), &self.workspace.env.cancel)
    }

    /// The folder in which the candidate of a task works.
    ///
    /// # Errors
    /// See [`Self::branch`].
    pub fn folder(&self, step: &str, task: u64) -> Result<PathBuf, Error> {
        let tree = self.place(step, task)?;
        let missing = || Error::new(ErrorKind::Refused, format!("`{step}` is too long for the name of a folder"));
        Ok(tree.ok_or_else(missing)?.folder.join(self.workspace.view.base().to_display()))
    }

    /// Where the candidate of a task writes its report: inside its folder, because many tools write nowhere else.
    ///
    /// # Errors
    /// See [`Self::branch`].
    pub fn report(&self, step: &str, task: u64) -> Result<PathBuf, Error> {
        let runs = self.folder(step, task)?.join(self.workspace.layout.runs().to_display());
        Ok(runs.join(self.run).join(format!("{task}.report.json")))
    }

    /// The uncommitted changes in the work tree: isolated tasks start from the last commit.
    ///
    /// # Errors
    /// The work tree cannot be read.
    pub fn unseen_changes(&self, step: &str) -> Result<Option<String>, Error> {
        let paths = worktrees::changed_paths(self.workspace.repo()?)?;
        let text = || format!("`{step}` starts from the last commit, without {}", listed(&paths));
        Ok((!paths.is_empty()).then(text))
    }

    /// Commits what the worker of a task left in its own work tree.
    ///
    /// # Errors
    /// See [`WorkError`].
    pub fn save(&self, step: &str, task: u64) -> Result<(), WorkError<Error>> {
        let tree = self.find(step, task)?;
        let tree = tree.ok_or_else(|| WorkError::Attempt("the work tree of the task is gone".to_owned()))?;
        let report = self.report(step, task)?;
        remove_report(&report)?;
        remove_empty_folders(&report);
        self.work(step, task).commit(&tree)
    }

    /// Removes the work tree of a task that does not count, if there is no work in it. Otherwise says where it is kept.
    ///
    /// # Errors
    /// git refuses.
    pub fn release(&self, step: &str, task: u64) -> Result<Option<RunEvent>, Error> {
        if self.find(step, task)?.is_some() {
            // Finishes a creation that was interrupted. What cannot be committed stays in the work tree.
            let _ = self.create(step, task);
            let _ = self.save(step, task);
        }
        let kept = self.remove(step, task)?;
        Ok(kept.map(|kept| RunEvent::Note { text: format!("the work of task {task} on `{step}` is kept: {kept}") }))
    }

    /// Merges the chosen work, and removes the work trees without other work.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] if uncommitted changes are in the way; then nothing was changed, and it can be repeated. Also if
    /// git refuses.
    pub fn settle(&self, candidates: &Candidates) -> Result<RunEvent, Error> {
        let mut commit = None;
        let mut error = None;
        if let Some(task) = candidates.chosen {
            match self.merge(&candidates.step, task)? {
                Accepted::Complete { commit: tip, .. } => commit = tip,
                Accepted::Conflict(reason) | Accepted::Refused(reason) => error = Some(reason),
                Accepted::Moved => {
                    return Err(Error::new(ErrorKind::Contention, "the branch moved").help("run this again"));
                }
            }
        }
        let kept = candidates.tasks.iter().map(|task| self.remove(&candidates.step, *task));
        Ok(RunEvent::CandidatesSettled {
            step: candidates.step.clone(),
            attempt: candidates.attempt,
            task: candidates.chosen,
            commit,
            error,
            kept: kept.filter_map(Result::transpose).collect::<Result<_, _>>()?,
        })
    }

    /// Merges the work of a task. It may conflict with what was committed since it began.
    fn merge(&self, step: &str, task: u64) -> Result<Accepted, Error> {
        let Some(tree) = self.tree_of_branch(step, task)? else {
            // A killed run has merged it and removed its branch.
            return Ok(Accepted::Complete { base: None, commit: Some(last_commit(self.workspace)?.to_string()) });
        };
        let work = self.work(step, task);
        work.accept(&work.branch(&tree)?)
    }

    /// Opens a pull request for the work of a task, unless the branch has it. The result says what it waits for.
    ///
    /// # Errors
    /// git refuses, or the job is cancelled.
    pub fn propose(&self, step: &str, task: u64, body: &str) -> Result<Option<String>, Error> {
        let Some(tree) = self.tree_of_branch(step, task)? else { return Ok(None) };
        let work = self.work(step, task);
        let title = format!("{step} of run {}", self.run);
        Ok(work.propose(&work.branch(&tree)?, &title, body)?.map(|proposed| proposed.message))
    }

    /// The work of a task.
    pub fn work(&self, step: &str, task: u64) -> AttemptWork<'_> {
        AttemptWork {
            workspace: self.workspace,
            merge_message: format!("Merge {step} (run {}, task {task})\n", self.run),
            commit_message: format!("{step}: task {task} of run {}\n", self.run),
            again: format!("canonry run exec {}", self.run),
        }
    }

    /// The work tree of a task whose branch exists.
    fn tree_of_branch(&self, step: &str, task: u64) -> Result<Option<AttemptTree>, Error> {
        let Some(tree) = self.place(step, task)? else { return Ok(None) };
        Ok(branch_tip(self.workspace.repo()?, &tree.branch)?.map(|_| tree))
    }

    /// Removes a work tree and its branch, or says where the work in it is kept.
    fn remove(&self, step: &str, task: u64) -> Result<Option<String>, Error> {
        let repo = self.workspace.repo()?;
        let Some(tree) = self.place(step, task)? else { return Ok(None) };
        Ok(match worktrees::remove_if_merged(repo, &tree, last_commit(self.workspace)?)? {
            Removal::Removed => None,
            Removal::Kept(reason) => Some(format!("branch {} ({reason})", tree.branch)),
        })
    }

    /// The work tree of a task, if it exists.
    fn find(&self, step: &str, task: u64) -> Result<Option<AttemptTree>, Error> {
        Ok(self.place(step, task)?.filter(|tree| tree.folder.is_dir()))
    }

    /// The place of the work tree of a task.
    fn place(&self, step: &str, task: u64) -> Result<Option<AttemptTree>, Error> {
        let name = self.name(step, task);
        let Some((folder, branch)) = tree_folder(self.workspace, &name)?.zip(name.branch()) else { return Ok(None) };
        Ok(Some(AttemptTree { folder, branch, fork: last_commit(self.workspace)? }))
    }

    fn name(&self, step: &str, task: u64) -> AttemptName {
        AttemptName { plan: self.owner(), step: step.to_owned(), attempt: task }
    }

    /// The name of the run among the owners of branches, which are also plans.
    fn owner(&self) -> String {
        format!("run-{}", self.run)
    }
}

impl OpenRun {
    /// Opens a pull request for the chosen work, if its owner wants one. `None` if canonry merges the work, or a person has
    /// merged it.
    ///
    /// # Errors
    /// See [`TaskTrees::propose`].
    pub fn propose(&self, workspace: &Workspace, candidates: &Candidates) -> Result<Option<String>, Error> {
        let Some(number) = candidates.chosen else { return Ok(None) };
        let current = self.journal.state.current.as_ref();
        let task = current.and_then(|current| current.tasks.iter().find(|task| task.number == number));
        let Some(task) = task else { return Ok(None) };
        let Some(owners) = crate::owners::load_if_any(workspace)? else { return Ok(None) };
        let owner = task.owner.as_deref().map_or(owners.default.as_ref(), |role| owners.owner(role));
        if owner.is_none_or(|owner| owner.integration == Integration::Merge) {
            return Ok(None);
        }
        let answer = task.end.as_ref().map(|end| end.answer.trim()).unwrap_or_default();
        let start = &self.journal.state.start;
        let trees = TaskTrees::new(workspace, &self.folder.id);
        let body = format!(
            "{answer}\n\nStep `{}` of run `{}` of the workflow `{}`, attempt {}.\n",
            candidates.step, self.folder.id, start.workflow, candidates.attempt
        );
        trees.propose(&candidates.step, number, &without_secrets(&body))
    }

    /// Merges and keeps the work of candidates, and records it.
    ///
    /// # Errors
    /// See [`TaskTrees::settle`].
    pub fn settle(&mut self, workspace: &Workspace, candidates: &Candidates) -> Result<(), Error> {
        let event = TaskTrees::new(workspace, &self.folder.id).settle(candidates)?;
        self.record(workspace, vec![event])
    }

    /// Releases the work trees of tasks that do not count, and says what is kept. The end of the tasks is recorded after that, so
    /// that a later process repeats it.
    ///
    /// # Errors
    /// See [`TaskTrees::release`].
    pub fn release(&self, workspace: &Workspace, step: &str, tasks: &[u64]) -> Result<Vec<RunEvent>, Error> {
        let trees = TaskTrees::new(workspace, &self.folder.id);
        tasks.iter().map(|task| trees.release(step, *task)).filter_map(Result::transpose).collect()
    }

    /// Leaves the step at work before its end: ends workers that a killed run left, and releases the work trees of candidates.
    ///
    /// # Errors
    /// See [`TaskTrees::release`].
    pub fn leave_step(&mut self, workspace: &Workspace) -> Result<(), Error> {
        let Some(current) = self.journal.state.current.clone() else { return Ok(()) };
        let open = current.tasks.iter().filter(|task| task.end.is_none());
        let mut ends = Vec::new();
        for task in open {
            let number = task.number;
            task.worker.as_deref().map(end_orphan).transpose()?;
            // A killed run may have committed its work.
            if let Some(done) = self.folder.result(number) {
                match self.end_task(workspace, number, &done) {
                    Ok(()) => continue,
                    Err(error) if error.kind == ErrorKind::Internal => return Err(error),
                    // What the repository does not allow to commit now stays where it is.
                    Err(_) => {}
                }
            }
            ends.push(RunEvent::TaskEnded { number, end: TaskEnd::stopped() });
        }
        let settled = current.settled.as_ref().map_or(0, |(attempt, _)| *attempt);
        let trees = current.tasks.iter().filter(|task| task.branch.is_some() && task.attempt > settled);
        let trees: Vec<u64> = trees.map(|task| task.number).collect();
        let mut events = self.release(workspace, &current.step, &trees)?;
        events.append(&mut ends);
        self.record(workspace, events)
    }
}
