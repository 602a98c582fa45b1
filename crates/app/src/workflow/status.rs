//! The state of a run.

use super::open_run::snapshot_for_look;
use super::run_folder::RunFolder;
use super::run_journal::RunJournal;
use crate::runs::run_status::{
    AttemptState, OpenAttempt, RunPhase, RunStatus, StepCounts, StepPosition, WorkflowPosition,
};
use crate::{Error, Timestamp, Workspace};
use canonry_runs::exec::RunKind;
use canonry_runs::report::reported_steps;
use canonry_runs::workflow::WorkflowGraph;
use canonry_runs::workflow::engine::{Engine, RunnerAction, task_name};
use canonry_runs::workflow::event::{Question, RunEvent, TaskOutcome, WorkflowEnd};
use canonry_runs::workflow::run_state::{RunPosition, RunState, TaskState};
use std::collections::BTreeMap;

/// Reads the state of a run.
///
/// # Errors
/// [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable) if there is no such run, or its journal is damaged.
pub(crate) fn read(workspace: &Workspace, id: &str) -> Result<RunStatus, Error> {
    let folder = RunFolder::named(workspace, id)?;
    let state = RunJournal::read_state(&folder)?;
    Ok(status(workspace, &folder, state))
}

/// The state of a run with this journal.
pub(super) fn status(workspace: &Workspace, folder: &RunFolder, mut state: RunState) -> RunStatus {
    let now = workspace.env.clock.now();
    let mut limit = None;
    match pending(workspace, folder, &state, now) {
        Some(RunnerAction::AskPerson(question)) => state.question = Some(question),
        Some(RunnerAction::StepLimit(steps)) => limit = Some(RunPhase::StepLimit { max_steps: steps }),
        _ => {}
    }
    let attempts = open_attempts(workspace, folder, &state, now);
    let deadline = state.question.as_ref().and_then(|question| Timestamp::parse(question.deadline.as_deref()?));
    let step = match (&state.current, &state.position, &state.question) {
        _ if state.is_ended() => None,
        (Some(current), _, _) => Some(StepPosition {
            name: current.step.clone(),
            visit: Some(current.visit),
            attempt: Some(current.attempt),
        }),
        (None, RunPosition::Step(name), None) => Some(StepPosition { name: name.clone(), visit: None, attempt: None }),
        _ => None,
    };
    let waiting = attempts.iter().filter_map(|attempt| match attempt.state {
        AttemptState::WaitingUntil { until } => Some((attempt.step.clone(), until.filter(|until| *until > now)?)),
        _ => None,
    });
    let waiting: Vec<_> = waiting.collect();
    let mut ended = reported_steps(&state.ended_steps, &BTreeMap::new());
    // Outputs are part of the report only.
    ended.iter_mut().for_each(|step| step.output = None);
    let phase = limit.unwrap_or_else(|| phase(&state, &attempts, &waiting));
    RunStatus {
        steps: StepCounts {
            total: None,
            complete: state.ended_steps.len(),
            in_progress: usize::from(state.current.is_some() && !state.is_ended()),
            ready: usize::from(phase == RunPhase::Ready),
        },
        attempts,
        waiting,
        question: state.question,
        is_overdue: deadline.is_some_and(|deadline| deadline <= now),
        usage: state.usage,
        workflow: Some(WorkflowPosition {
            name: state.start.workflow,
            version: state.start.version,
            task: state.start.task,
            folder: folder.path.clone(),
            started: state.started,
            last: state.last_at,
            iteration: state.iteration,
            step,
            ended,
        }),
        ..RunStatus::new(folder.id.clone(), RunKind::Workflow, phase)
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
    match Engine::new(definition, &graph, state).next(now) {
        RunnerAction::Record(events) => events.into_iter().find_map(|event| match event {
            // Nobody has asked yet, so that no deadline runs.
            RunEvent::PersonAsked(question) => Some(RunnerAction::AskPerson(Question { deadline: None, ..question })),
            _ => None,
        }),
        RunnerAction::StepLimit(limit) => Some(RunnerAction::StepLimit(limit)),
        _ => None,
    }
}

fn phase(state: &RunState, attempts: &[OpenAttempt], waiting: &[(String, Timestamp)]) -> RunPhase {
    match &state.end {
        Some((WorkflowEnd::Complete, _)) => return RunPhase::Complete,
        Some((WorkflowEnd::Aborted, reason)) => return RunPhase::Aborted { reason: reason.clone() },
        None => {}
    }
    if state.question.is_some() {
        return RunPhase::NeedsPerson;
    }
    if attempts.iter().any(|attempt| attempt.state == AttemptState::Running) {
        return RunPhase::Working;
    }
    let is_waiting = |attempt: &OpenAttempt| matches!(attempt.state, AttemptState::WaitingUntil { .. });
    let until = waiting.iter().map(|(_, until)| *until).min();
    until.filter(|_| attempts.iter().all(is_waiting)).map_or(RunPhase::Ready, |until| RunPhase::WaitingUntil { until })
}

/// The tasks of the step at work that are not finished.
fn open_attempts(workspace: &Workspace, folder: &RunFolder, state: &RunState, now: Timestamp) -> Vec<OpenAttempt> {
    let Some(current) = state.current.as_ref().filter(|_| !state.is_ended()) else { return Vec::new() };
    // The names of parts are in the definition. Without it, the name of the step must do.
    let loaded = snapshot_for_look(workspace, folder, state).ok();
    let step = loaded
        .as_ref()
        .and_then(|loaded| loaded.definition().ok())
        .and_then(|definition| definition.steps.iter().find(|step| step.name.text == current.step));
    let is_latest = |task: &&TaskState| current.task(task.role).is_some_and(|latest| latest.number == task.number);
    let is_running = folder.is_running();
    let is_of_session = |task: &TaskState| task.owner.is_none() && step.is_none_or(|step| step.plan.is_none());
    let open = current.tasks.iter().filter(is_latest).filter_map(|task| {
        let state = match &task.end {
            None if is_running || is_of_session(task) => AttemptState::Running,
            // A worker that is left ends before another begins.
            None => AttemptState::Interrupted,
            Some(end) if end.result == TaskOutcome::Limit => {
                AttemptState::WaitingUntil { until: end.until.as_deref().and_then(Timestamp::parse) }
            }
            Some(end) if end.result == TaskOutcome::Stopped => AttemptState::Interrupted,
            Some(_) => return None,
        };
        let attempt = OpenAttempt {
            step: step.map_or_else(|| current.step.clone(), |step| task_name(step, task.role)),
            attempt: task.attempt,
            task: Some(task.number),
            owner: task.owner.clone(),
            started: task.started,
            seconds: task.started.map_or(0, |started| now.to_jiff().duration_since(started.to_jiff()).as_secs()),
            state,
            last_line: String::new(),
            log: None,
        };
        Some(attempt.with_log(folder.task_log(task.number)))
    });
    open.collect()
}
