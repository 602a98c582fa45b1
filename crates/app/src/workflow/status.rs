//! Where runs are, and what they wait for.

use super::open_run::{self, DEFAULT_RETRIES, snapshot_for_look};
use super::run_folder::RunFolder;
use super::run_journal::RunJournal;
use crate::{Error, Timestamp, Workspace};
use canonry_model::canon::worker_usage::WorkerUsage;
use canonry_repo::exec::group::group_is_alive;
use canonry_runs::workflow::WorkflowGraph;
use canonry_runs::workflow::engine::{Engine, RunnerAction, task_name};
pub use canonry_runs::workflow::event::StepOutcome;
use canonry_runs::workflow::event::{Question, RunEnd, RunEvent, TaskOutcome};
pub use canonry_runs::workflow::run_state::EndedStep;
use canonry_runs::workflow::run_state::{RunPosition, RunState, TaskState};
use std::path::PathBuf;

/// Which runs to look at.
#[derive(Clone, Debug, Default)]
pub struct RunStatusRequest {
    /// The run's id. By default the open run, all open runs if there are several, or else the last run.
    pub run: Option<String>,
    /// All runs.
    pub all: bool,
}

/// The state of runs.
#[derive(Clone, Debug)]
pub struct RunStatusList {
    /// The runs, by id.
    pub runs: Vec<RunStatus>,
    /// Runs whose journal cannot be read, with the reason.
    pub unreadable: Vec<(String, String)>,
    /// Whether one run was asked for, and not a list.
    pub is_single: bool,
}

/// The state of a run.
#[derive(Clone, Debug)]
pub struct RunStatus {
    /// The run's id.
    pub run: String,
    /// The name of the workflow.
    pub workflow: String,
    /// `workflow_version`.
    pub version: Option<String>,
    /// Task of the workflow.
    pub task: String,
    /// The run's folder.
    pub folder: PathBuf,
    /// Whether the run goes on, waits or has ended.
    pub phase: RunPhase,
    /// When the run began.
    pub started: Option<Timestamp>,
    /// When something was last recorded.
    pub last: Option<Timestamp>,
    /// The iteration, from 1.
    pub iteration: u64,
    /// The step at work or next, with its visit and attempt; both 0 if it has not begun.
    pub step: Option<(String, u64, u64)>,
    /// Tasks of the step at work that run, wait or were interrupted.
    pub tasks: Vec<OpenTask>,
    /// The question to a person.
    pub question: Option<Question>,
    /// Whether the deadline of the question is over.
    pub is_overdue: bool,
    /// The steps that ended, oldest first.
    pub ended: Vec<EndedStep>,
    /// Tokens and cost of all tasks.
    pub usage: WorkerUsage,
}

impl RunStatus {
    /// Whether the run has ended.
    pub fn is_ended(&self) -> bool {
        matches!(self.phase, RunPhase::Complete | RunPhase::Aborted(_))
    }
}

/// Whether a run goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum RunPhase {
    /// Somebody works on a task.
    Working,
    /// Nobody works on it: `exec` or `next` continues it.
    Ready,
    /// The tools accept no work until then.
    WaitingUntil(Timestamp),
    /// A person decides first.
    NeedsPerson,
    /// The run took as many steps as the workflow allows (`max_steps`).
    StepLimit(u64),
    /// The workflow is complete.
    Complete,
    /// The run was aborted, with the reason.
    Aborted(Option<String>),
}

/// A task that has not ended, or that is started again later.
#[derive(Clone, Debug)]
pub struct OpenTask {
    /// Its number in the run.
    pub number: u64,
    /// The name of the part of the step, or of the step.
    pub name: String,
    /// The role that works on it; `None` for a calling session.
    pub owner: Option<String>,
    /// The number of the attempt.
    pub attempt: u64,
    /// When it was started.
    pub started: Option<Timestamp>,
    /// Seconds since then.
    pub seconds: i64,
    pub state: OpenTaskState,
}

/// State of an open task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenTaskState {
    /// A worker or a calling session works on it.
    Running,
    /// Its worker is gone: `run` starts it again.
    Interrupted,
    /// The tool reached a usage limit.
    WaitingUntil(Option<Timestamp>),
}

/// Reads the state of runs.
///
/// # Errors
/// [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable) if there is no such run, or its journal is damaged.
pub fn run(workspace: &Workspace, request: &RunStatusRequest) -> Result<RunStatusList, Error> {
    let now = workspace.env.clock.now();
    if let Some(id) = request.run.as_deref().filter(|_| !request.all) {
        let folder = RunFolder::named(workspace, id)?;
        let state = RunJournal::read_state(&folder)?;
        let runs = vec![status(workspace, &folder, state, now)];
        return Ok(RunStatusList { runs, unreadable: Vec::new(), is_single: true });
    }
    let mut unreadable = Vec::new();
    let mut read = Vec::new();
    for folder in RunFolder::all(workspace)? {
        match RunJournal::read_state(&folder) {
            Ok(state) => read.push((folder, state)),
            Err(error) => unreadable.push((folder.id, error.message)),
        }
    }
    let open = read.iter().filter(|(_, state)| !state.is_ended()).count();
    if read.is_empty() && unreadable.is_empty() && !request.all {
        return Err(open_run::no_run());
    }
    if !request.all && open > 0 {
        read.retain(|(_, state)| !state.is_ended());
    } else if !request.all {
        read = read.pop().into_iter().collect();
    }
    let is_single = !request.all && read.len() == 1;
    if is_single {
        unreadable.clear();
    }
    let runs = read.into_iter().map(|(folder, state)| status(workspace, &folder, state, now)).collect();
    Ok(RunStatusList { runs, unreadable, is_single })
}

/// The state of a run.
pub(super) fn status(workspace: &Workspace, folder: &RunFolder, mut state: RunState, now: Timestamp) -> RunStatus {
    let mut limit = None;
    match pending(workspace, folder, &state, now) {
        Some(RunnerAction::AskPerson(question)) => state.question = Some(question),
        Some(RunnerAction::StepLimit(steps)) => limit = Some(RunPhase::StepLimit(steps)),
        _ => {}
    }
    let tasks = open_tasks(workspace, folder, &state, now);
    let is_overdue = state
        .question
        .as_ref()
        .and_then(|question| Timestamp::parse(question.deadline.as_deref()?))
        .is_some_and(|deadline| deadline <= now);
    let step = match (&state.current, &state.position, &state.question) {
        _ if state.is_ended() => None,
        (Some(current), _, _) => Some((current.step.clone(), current.visit, current.attempt)),
        (None, RunPosition::Step(name), None) => Some((name.clone(), 0, 0)),
        _ => None,
    };
    RunStatus {
        phase: limit.unwrap_or_else(|| phase(&state, &tasks, now)),
        run: folder.id.clone(),
        folder: folder.path.clone(),
        workflow: state.start.workflow,
        version: state.start.version,
        task: state.start.task,
        started: state.started,
        last: state.last_at,
        iteration: state.iteration,
        step,
        tasks,
        question: state.question,
        is_overdue,
        ended: state.ended_steps,
        usage: state.usage,
    }
}

/// Next action of a run between two steps, as far as it needs a person.
fn pending(workspace: &Workspace, folder: &RunFolder, state: &RunState, now: Timestamp) -> Option<RunnerAction> {
    if state.is_ended() || state.current.is_some() || state.question.is_some() {
        return None;
    }
    let loaded = snapshot_for_look(workspace, folder, state).ok()?;
    let definition = loaded.definition().ok()?;
    let graph = WorkflowGraph::new(definition);
    match Engine::new(definition, &graph, state, DEFAULT_RETRIES).next(now) {
        RunnerAction::Record(events) => events.into_iter().find_map(|event| match event {
            // Nobody has asked yet, so that no deadline runs.
            RunEvent::PersonAsked(question) => Some(RunnerAction::AskPerson(Question { deadline: None, ..question })),
            _ => None,
        }),
        RunnerAction::StepLimit(limit) => Some(RunnerAction::StepLimit(limit)),
        _ => None,
    }
}

fn phase(state: &RunState, tasks: &[OpenTask], now: Timestamp) -> RunPhase {
    match &state.end {
        Some((RunEnd::Complete, _)) => return RunPhase::Complete,
        Some((RunEnd::Aborted, reason)) => return RunPhase::Aborted(reason.clone()),
        None => {}
    }
    if state.question.is_some() {
        return RunPhase::NeedsPerson;
    }
    if tasks.iter().any(|task| task.state == OpenTaskState::Running) {
        return RunPhase::Working;
    }
    let until = tasks.iter().filter_map(|task| match task.state {
        OpenTaskState::WaitingUntil(until) => until.filter(|until| *until > now),
        _ => None,
    });
    match until.min() {
        Some(until) if tasks.iter().all(|task| matches!(task.state, OpenTaskState::WaitingUntil(_))) => {
            RunPhase::WaitingUntil(until)
        }
        _ => RunPhase::Ready,
    }
}

/// The tasks of the step at work that are not finished.
fn open_tasks(workspace: &Workspace, folder: &RunFolder, state: &RunState, now: Timestamp) -> Vec<OpenTask> {
    let Some(current) = state.current.as_ref().filter(|_| !state.is_ended()) else { return Vec::new() };
    // The names of parts are in the definition. Without it, the name of the step must do.
    let loaded = snapshot_for_look(workspace, folder, state).ok();
    let step = loaded
        .as_ref()
        .and_then(|loaded| loaded.definition().ok())
        .and_then(|definition| definition.steps.iter().find(|step| step.name.text == current.step));
    let is_latest = |task: &&TaskState| current.task(task.role).is_some_and(|latest| latest.number == task.number);
    let open = current.tasks.iter().filter(is_latest).filter_map(|task| {
        let state = match &task.end {
            None => match &task.worker {
                Some(worker) if !worker.parse().is_ok_and(|worker| group_is_alive(&worker)) => {
                    OpenTaskState::Interrupted
                }
                _ => OpenTaskState::Running,
            },
            Some(end) if end.result == TaskOutcome::Limit => {
                OpenTaskState::WaitingUntil(end.until.as_deref().and_then(Timestamp::parse))
            }
            Some(end) if end.result == TaskOutcome::Stopped => OpenTaskState::Interrupted,
            Some(_) => return None,
        };
        Some(OpenTask {
            number: task.number,
            name: step.map_or_else(|| current.step.clone(), |step| task_name(step, task.role)),
            owner: task.owner.clone(),
            attempt: task.attempt,
            started: task.started,
            seconds: task.started.map_or(0, |started| now.to_jiff().duration_since(started.to_jiff()).as_secs()),
            state,
        })
    });
    open.collect()
}
