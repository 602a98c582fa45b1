//! The end of a task: the answer of its worker, or of a session, becomes files, a commit, and an entry of the journal.
//!
//! Every part can be repeated, because the process can be killed anywhere: the answer is saved first, and the entry comes last.

use super::open_run::OpenRun;
use super::task_prompt::{output_file, schema_file};
use super::task_trees::TaskTrees;
use crate::workers::{end_orphan, logged_answer, read_report};
use crate::{Error, ErrorKind, Workspace};
use canonry_runs::plan::run::WorkError;
use canonry_runs::workflow::engine::{TaskReport, is_whole, task_end, task_name};
use canonry_runs::workflow::event::{RunEvent, TaskEnd, TaskRole};
use canonry_runs::workflow::run_state::TaskState;
use serde_json::Value;

impl OpenRun {
    /// Saves the answer to a task of the step at work, and records its end after its files and its commit. What cannot be
    /// committed because of the work itself is the failure of the task.
    ///
    /// # Errors
    /// Files cannot be written, or the repository does not allow a commit now; a later try continues from here.
    pub fn end_task(&mut self, workspace: &Workspace, number: u64, report: &TaskReport) -> Result<(), Error> {
        self.folder.save_result(number, report)?;
        let Some((name, task)) = self.running(number) else { return Ok(()) };
        let step = self.step(&name)?.clone();
        let role = task.role;
        let schema = schema_file(workspace, self, &step, role);
        let mut end = task_end(&step, role, report, schema.as_ref());
        let visit = self.journal.state.visits.get(&name).unwrap_or(&1);
        let now = workspace.env.clock.now();
        let title =
            format!("{}, visit {visit}, attempt {}, task {number}, {now}", task_name(&step, role), task.attempt);
        self.folder.add_to_report(&name, number, &title, &report.answer)?;
        if let (Some(output), None) = (&end.output, &end.error) {
            end = match self.save_output(&name, role, output)? {
                None => end,
                Some(problem) => end.failed(problem),
            };
        }
        let saved = if task.branch.is_some() {
            TaskTrees::new(workspace, &self.folder.id).save(&name, number).map(|()| None)
        } else {
            self.commit_shared(workspace, number, &end)
        };
        let mut events = Vec::new();
        match saved {
            Ok(committed) => events.extend(committed.map(|text| RunEvent::Note { text })),
            Err(WorkError::Run(error)) => {
                let help =
                    format!("then run `canonry run exec {}`: the answer of task {number} is kept", self.folder.id);
                return Err(Error { help: error.help.or(Some(help)), ..error });
            }
            Err(WorkError::Attempt(problem) | WorkError::Beyond(problem)) => {
                let error = end.error.take().unwrap_or(problem);
                end = end.failed(error);
            }
        }
        events.push(RunEvent::TaskEnded { number, end });
        self.record(workspace, events)
    }

    /// Writes the output of a task to the file that its step names. Returns what is wrong with the name.
    ///
    /// # Errors
    /// The file system refused.
    pub fn save_output(&self, step: &str, role: TaskRole, output: &Value) -> Result<Option<String>, Error> {
        let file = match output_file(self, self.step(step)?, role) {
            Ok(Some(file)) => file,
            Ok(None) => return Ok(None),
            Err(problem) => return Ok(Some(problem)),
        };
        match self.folder.save_output(&file, output) {
            Ok(()) => Ok(None),
            Err(error) if error.kind == ErrorKind::Refused => Ok(Some(error.message)),
            Err(error) => Err(error),
        }
    }

    /// A task of the step at work that has not ended, with the name of the step.
    fn running(&self, number: u64) -> Option<(String, TaskState)> {
        let current = self.journal.state.current.as_ref()?;
        Some((current.step.clone(), self.journal.state.running(number)?.clone()))
    }

    /// Whether the report of a worker that did not end by itself is its whole result.
    pub fn is_whole(&self, workspace: &Workspace, number: u64, report: &TaskReport) -> Result<bool, Error> {
        let Some((name, task)) = self.running(number) else { return Ok(false) };
        let step = self.step(&name)?;
        Ok(is_whole(step, task.role, report, schema_file(workspace, self, step, task.role).as_ref()))
    }

    /// Ends the tasks that a killed process left, and with `takes_over` those of another session. Those that have a result are
    /// concluded. The others are started again under new numbers, so that a late answer is refused.
    ///
    /// # Errors
    /// [`ErrorKind::Contention`] if another session does the step; see also [`Self::end_task`]. Also if a worker cannot be ended.
    pub fn end_left_tasks(&mut self, workspace: &Workspace, takes_over: bool) -> Result<(), Error> {
        let Some(current) = self.journal.state.current.clone() else { return Ok(()) };
        let open = current.tasks.iter().filter(|task| task.end.is_none());
        // This process holds the lock of runners: whoever started a worker no longer watches it.
        for task in open.filter(|task| !takes_over && self.folder.result(task.number).is_none()) {
            if self.is_of_session(task)? {
                let since = task.started.map(|at| format!(" since {at}")).unwrap_or_default();
                let message = format!("another session does task {} of step `{}`{since}", task.number, current.step);
                let help = "wait for its answer, or take it over with `--take-over`; its answer then no longer counts";
                return Err(Error::new(ErrorKind::Contention, message).help(help));
            }
        }
        let mut events = Vec::new();
        let mut trees = Vec::new();
        for task in current.tasks.iter().filter(|task| task.end.is_none()) {
            let number = task.number;
            task.worker.as_deref().map(end_orphan).transpose()?;
            if let Some(report) = self.left_report(workspace, &current.step, task)? {
                self.end_task(workspace, number, &report)?;
                let text = format!("task {number} has its result from an earlier run");
                self.record(workspace, vec![RunEvent::Note { text }])?;
                continue;
            }
            if self.is_of_session(task)? {
                let text = format!("task {number} was begun in another session; its answer no longer counts");
                events.push(RunEvent::Note { text });
            }
            events.push(RunEvent::TaskEnded { number, end: TaskEnd::stopped() });
            trees.extend(task.branch.is_some().then_some(number));
        }
        let mut kept = self.release(workspace, &current.step, &trees)?;
        kept.append(&mut events);
        if kept.is_empty() { Ok(()) } else { self.record(workspace, kept) }
    }

    /// Whether a calling session does a task. Workers have an owner, and plans have owners of their own.
    pub fn is_of_session(&self, task: &TaskState) -> Result<bool, Error> {
        let Some(current) = &self.journal.state.current else { return Ok(false) };
        Ok(task.owner.is_none() && self.step(&current.step)?.plan.is_none())
    }

    /// The answer that was saved, or the whole report of a worker that nobody watched to its end.
    fn left_report(&self, workspace: &Workspace, step: &str, task: &TaskState) -> Result<Option<TaskReport>, Error> {
        if let Some(report) = self.folder.result(task.number) {
            return Ok(Some(report));
        }
        let mut places = vec![self.folder.task_report(task.number)];
        if task.branch.is_some() {
            places.insert(0, TaskTrees::new(workspace, &self.folder.id).report(step, task.number)?);
        }
        let report = places.iter().find_map(|path| serde_json::from_slice(&read_report(path)?).ok());
        let log = self.folder.task_log(task.number);
        let Some(answer) = logged_answer(&log, workspace.env.clock.now()) else { return Ok(None) };
        let report = TaskReport { answer, report, ..TaskReport::default() };
        Ok(if self.is_whole(workspace, task.number, &report)? { Some(report) } else { None })
    }
}
