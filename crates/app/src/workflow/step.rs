//! Begins the next task of a run in the calling session: it gets the prompt, does the work, and answers with `finish`.

use super::open_run::OpenRun;
use super::resume::{ResumeChoice, continue_on};
use super::task_prompt::{self, PromptError};
use super::task_trees::TaskTrees;
use crate::{Error, ErrorKind, Workspace};
use canonry_runs::exec::RunEnd;
use canonry_runs::workflow::engine::{RunnerAction, TaskSpec, task_name};
use canonry_runs::workflow::event::{RunEvent, TaskRole};

/// Which run.
#[derive(Clone, Debug, Default)]
pub struct NextTaskRequest {
    /// The run's id.
    pub run: String,
    /// Take over a task that another session began. Its answer no longer counts.
    pub take_over: bool,
}

/// Next step of a session.
#[derive(Clone, Debug)]
pub struct NextTaskOutcome {
    /// The run's id.
    pub run: String,
    pub next: NextTask,
}

/// Next action of the calling session.
#[derive(Clone, Debug)]
pub enum NextTask {
    /// Do this task.
    Task {
        /// The number of the task, which the answer names.
        number: u64,
        /// The step's name.
        step: String,
        /// The name of the task: the step, or a part of it.
        task: String,
        /// The role that the workflow wants.
        owner: Option<String>,
        /// Instructions for the session.
        prompt: String,
    },
    /// Nothing can be done in this session.
    End(RunEnd),
}

/// Begins the next task.
///
/// # Errors
/// [`ErrorKind::Contention`] if another process runs the workflow, or another session does the step;
/// [`ErrorKind::Unreadable`] if the definition or the journal has errors, or a prompt has no value for a variable.
pub fn run(workspace: &Workspace, request: &NextTaskRequest) -> Result<NextTaskOutcome, Error> {
    let mut open = OpenRun::open(workspace, &request.run)?;
    let _lock = open.folder.lock()?;
    open.journal.refresh()?;
    open.catch_up()?;
    continue_on(workspace, &mut open, ResumeChoice::ByVersion)?;
    let next = loop {
        match open.advance(workspace)? {
            RunnerAction::Start(specs) => {
                let spec = specs.first().expect("the engine starts at least one task");
                break begin(workspace, &mut open, spec)?;
            }
            action => match open.end_at(&action) {
                Some(end) => {
                    open.finish_task(workspace)?;
                    break NextTask::End(end);
                }
                None => open.end_left_tasks(workspace, request.take_over)?,
            },
        }
    };
    Ok(NextTaskOutcome { run: open.folder.id, next })
}

fn begin(workspace: &Workspace, open: &mut OpenRun, spec: &TaskSpec) -> Result<NextTask, Error> {
    let definition = open.definition()?;
    let missing = || Error::new(ErrorKind::Unreadable, "the workflow has no such step any more");
    let step = definition.steps.get(spec.step).ok_or_else(missing)?;
    if let Some(plan) = &step.plan {
        let message = format!("step `{}` executes the plan `{}`", step.name.text, plan.text);
        return Err(Error::new(ErrorKind::Refused, message).help(format!("run `canonry run exec {}`", open.folder.id)));
    }
    let name = step.name.text.clone();
    let task = task_name(step, spec.role);
    let is_candidate = matches!(spec.role, TaskRole::Candidate(_));
    let prompt = task_prompt::build(workspace, open, spec, is_candidate, false);
    let text = prompt.map_err(|error| match error {
        PromptError::Task(problem) => Error::new(ErrorKind::Unreadable, format!("step `{name}`: {problem}")),
        PromptError::Run(error) => error,
    })?;
    open.folder.save_prompt(spec.number, &text)?;
    let run = open.folder.id.clone();
    let trees = TaskTrees::new(workspace, &run);
    let branch = is_candidate.then(|| trees.branch(&name, spec.number)).transpose()?;
    let begin = RunEvent::TaskStarted {
        number: spec.number,
        step: name.clone(),
        attempt: spec.attempt,
        role: spec.role,
        owner: None,
        branch,
        worker: None,
    };
    if !is_candidate {
        open.see_files(workspace)?;
    }
    open.record(workspace, vec![begin])?;
    if is_candidate {
        trees.create(&name, spec.number)?;
    }
    Ok(NextTask::Task { number: spec.number, step: name, task, owner: spec.owner.clone(), prompt: text })
}
