//! Takes the answer to a task, decides where the run goes, and says how a calling loop continues. The only command that
//! declares a workflow complete.

use super::open_run::OpenRun;
use crate::{Error, ErrorKind, Workspace};
use canonry_runs::exec::{RunEnd, loop_word};
use canonry_runs::workflow::engine::{RunnerAction, TaskReport};
use canonry_runs::workflow::event::StepOutcome;
use canonry_runs::workflow::run_state::{RunPosition, TaskState};
use canonry_text::secrets::without_secrets;

/// The most bytes of an answer.
pub const MAX_ANSWER: u64 = 256 << 10;

/// An answer.
#[derive(Clone, Debug, Default)]
pub struct DecideTaskRequest {
    /// The run's id.
    pub run: String,
    /// The number of the task, as `next` gave it; the only task at work by default.
    pub task: Option<u64>,
    /// The answer: prose whose last line decides, or JSON.
    pub answer: String,
    /// The task failed, for this reason.
    pub failed: Option<String>,
}

/// Consequence of the answer.
#[derive(Clone, Debug)]
pub struct DecidedTask {
    /// The run's id.
    pub run: String,
    /// Instruction for the calling loop.
    pub status: LoopStatus,
    /// The step that the answer belongs to.
    pub step: String,
    /// The next step, if the run goes on.
    pub next: Option<String>,
    /// Why the run does not simply go on.
    pub reason: Option<String>,
}

/// Instruction for a calling loop.
#[derive(Clone, Debug, PartialEq)]
pub enum LoopStatus {
    /// The same step is not done yet: it has more parts, failed, or was sent back.
    Continue,
    /// The step is done, and another one follows.
    StepComplete,
    /// The run goes no further by itself.
    End(RunEnd),
}

impl LoopStatus {
    /// The word that a calling loop reads.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Continue => loop_word::CONTINUE,
            Self::StepComplete => loop_word::STEP_COMPLETE,
            Self::End(end) => end.words().1,
        }
    }
}

/// Records an answer and decides.
///
/// # Errors
/// [`ErrorKind::Contention`] if the task was taken over, or another process runs the workflow; [`ErrorKind::Refused`] if no
/// task is at work, or a worker does it; [`ErrorKind::Usage`] if several are and none is named.
pub fn run(workspace: &Workspace, request: &DecideTaskRequest) -> Result<DecidedTask, Error> {
    let mut open = OpenRun::open(workspace, &request.run)?;
    let _lock = open.folder.lock()?;
    open.journal.refresh()?;
    let number = task(&open, request.task)?;
    let name = open.journal.state.current.as_ref().map(|current| current.step.clone()).unwrap_or_default();
    if request.answer.len() as u64 > MAX_ANSWER {
        return Err(Error::new(ErrorKind::Usage, format!("the answer is longer than {MAX_ANSWER} bytes"))
            .help("answer with a summary, and name files by their paths"));
    }
    let answer = without_secrets(&request.answer);
    let report = TaskReport { answer, error: request.failed.clone(), ..TaskReport::default() };
    open.end_task(workspace, number, &report)?;
    let before = open.journal.state.ended_steps.len();
    let action = advance_to_next_step(workspace, &mut open, before)?;
    open.finish_task(workspace)?;
    Ok(outcome(&open, name, before, &action))
}

/// Records what follows, but does not begin the next step: the calling session does it with `next`.
fn advance_to_next_step(workspace: &Workspace, open: &mut OpenRun, before: usize) -> Result<RunnerAction, Error> {
    loop {
        let state = &open.journal.state;
        let is_between = state.ended_steps.len() > before && state.current.is_none();
        let is_human = match &state.position {
            RunPosition::Step(name) => open.step(name).is_ok_and(|step| step.human.is_some()),
            _ => true,
        };
        if is_between && !is_human && state.question.is_none() {
            return Ok(RunnerAction::Wait);
        }
        match open.advance_once(workspace)? {
            RunnerAction::Record(_) => {}
            action => return Ok(action),
        }
    }
}

fn outcome(open: &OpenRun, step: String, before: usize, action: &RunnerAction) -> DecidedTask {
    let state = &open.journal.state;
    let ended = state.ended_steps.get(before);
    let reason = ended.and_then(|ended| ended.reason.clone());
    let following = match &state.position {
        RunPosition::Step(name) => Some(name.clone()),
        _ => None,
    };
    let (status, next, reason) = match (open.end_at(action), ended) {
        (Some(RunEnd::Asks(question)), _) => (LoopStatus::End(RunEnd::Asks(question)), None, reason),
        (Some(end), _) => {
            let reason = end.reason();
            (LoopStatus::End(end), None, reason)
        }
        (None, Some(ended)) if ended.outcome == StepOutcome::Done => (LoopStatus::StepComplete, following, None),
        (None, Some(_)) => (LoopStatus::Continue, following, reason),
        (None, None) => {
            let feedback = state.current.as_ref().and_then(|current| current.feedback.last().cloned());
            (LoopStatus::Continue, Some(step.clone()), feedback)
        }
    };
    DecidedTask { run: open.folder.id.clone(), status, step, next, reason }
}

/// The task that is answered.
fn task(open: &OpenRun, number: Option<u64>) -> Result<u64, Error> {
    let state = &open.journal.state;
    let current = state.current.as_ref();
    let is_asked = |task: &&TaskState| number.is_none_or(|number| number == task.number);
    let all = current.iter().flat_map(|current| &current.tasks);
    let mut running = Vec::new();
    for task in all.filter(|task| task.end.is_none()).filter(is_asked) {
        // Its run may be gone, and it may still work.
        if !open.is_of_session(task)? {
            let message = format!("task {} of the run `{}` is that of a worker", task.number, open.folder.id);
            let help = format!("run `canonry run exec {}`, which ends or continues it", open.folder.id);
            return Err(Error::new(ErrorKind::Refused, message).help(help));
        }
        running.push(task);
    }
    match (number, running.as_slice()) {
        (Some(number), _) => match running.iter().find(|task| task.number == number) {
            Some(task) => Ok(task.number),
            None if number <= state.tasks => {
                let message = format!("task {number} was taken over or has ended; its answer no longer counts");
                Err(Error::new(ErrorKind::Contention, message)
                    .help(format!("see `canonry run status {}`", open.folder.id)))
            }
            None => Err(Error::new(ErrorKind::Usage, format!("the run has no task {number}"))),
        },
        (None, [task]) => Ok(task.number),
        (None, []) => {
            let message = format!("no task of the run `{}` is at work", open.folder.id);
            Err(Error::new(ErrorKind::Refused, message)
                .help(format!("begin one with `canonry run next {}`", open.folder.id)))
        }
        (None, several) => {
            let numbers: Vec<String> = several.iter().map(|task| task.number.to_string()).collect();
            Err(Error::new(ErrorKind::Usage, format!("{} tasks are at work: name one", several.len()))
                .help(format!("add `--task N`; the tasks are {}", numbers.join(", "))))
        }
    }
}
