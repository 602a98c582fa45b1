//! The engine: what a run does next, as a pure function of its definition, its state and the time.
//!
//! A runner asks for the next [`RunnerAction`], does it, appends the events to the journal, and asks again. All decisions are
//! made here, so that a resumed run decides as the killed one would have.

mod answer;
mod failure;
mod gate;
#[cfg(test)]
mod property_tests;
mod step_end;
mod task_end;

pub use answer::{AnswerError, Decided, answer, approving, rejecting};
pub use gate::duration;
pub use step_end::task_name;
pub use task_end::{TaskReport, contract, is_whole, task_end};

use super::event::{Question, RunEvent, TaskOutcome, TaskRole, WorkflowEnd};
use super::graph::WorkflowGraph;
use super::run_state::{CurrentStep, RunPosition, RunState};
use canonry_model::canon::timestamp::Timestamp;
use canonry_model::canon::workflow::{WorkflowDefinition, WorkflowStep};
use canonry_text::node::SpannedText;

/// A run with its definition.
#[derive(Clone, Copy, Debug)]
pub struct Engine<'a> {
    definition: &'a WorkflowDefinition,
    graph: &'a WorkflowGraph<'a>,
    state: &'a RunState,
}

/// Next action of a runner.
#[derive(Clone, Debug, PartialEq)]
pub enum RunnerAction {
    /// Append these events and ask again.
    Record(Vec<RunEvent>),
    /// Start these tasks.
    Start(Vec<TaskSpec>),
    /// Merge the work of the chosen candidate, keep the branches of the others, record
    /// [`RunEvent::CandidatesSettled`], and ask again.
    SettleCandidates(Candidates),
    /// Tasks are running.
    Wait,
    /// The tools that could go on accept no work until then.
    WaitUntil(Timestamp),
    /// The run waits for a person.
    AskPerson(Question),
    /// The run took as many steps as the workflow allows.
    StepLimit(u64),
    /// The run ended.
    Ended,
}

/// The candidates of an attempt that have ended, by their tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidates {
    pub step: String,
    pub attempt: u64,
    /// The task whose work is merged; `None` if the attempt failed.
    pub chosen: Option<u64>,
    pub tasks: Vec<u64>,
}

/// A task to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskSpec {
    /// Its number in the run.
    pub number: u64,
    /// The index of the step.
    pub step: usize,
    pub attempt: u64,
    pub role: TaskRole,
    /// Who does it; `None` for the calling session.
    pub owner: Option<String>,
}

impl<'a> Engine<'a> {
    /// An engine for one look at a run.
    pub fn new(definition: &'a WorkflowDefinition, graph: &'a WorkflowGraph<'a>, state: &'a RunState) -> Self {
        Self { definition, graph, state }
    }

    /// Next action.
    pub fn next(&self, now: Timestamp) -> RunnerAction {
        if self.state.is_ended() {
            return RunnerAction::Ended;
        }
        if let Some(current) = &self.state.current {
            return self.go_on(current, now);
        }
        match &self.state.position {
            RunPosition::Start => match self.definition.steps.first() {
                Some(first) => self.begin(first),
                None => RunnerAction::Record(vec![end(false, Some("the workflow has no steps".to_owned()))]),
            },
            RunPosition::Step(name) => match self.step(name) {
                Some(step) => self.begin(step),
                None => {
                    let reason = format!("the workflow has no step `{name}` any more");
                    RunnerAction::Record(vec![end(false, Some(reason))])
                }
            },
            RunPosition::Gate { id, from } => self.at_gate(id, from.as_deref(), now),
            RunPosition::Person { step, gate } => self.undecided(step, gate.as_deref()),
            RunPosition::Ending { is_complete, reason } => {
                RunnerAction::Record(vec![end(*is_complete, reason.clone())])
            }
            RunPosition::Ended => RunnerAction::Ended,
        }
    }

    fn step(&self, name: &str) -> Option<&'a WorkflowStep> {
        self.definition.steps.iter().find(|step| step.name.text == name)
    }

    /// Reaches a step.
    fn begin(&self, step: &WorkflowStep) -> RunnerAction {
        let name = &step.name.text;
        let approved = self.state.approved.as_ref().filter(|(step, _)| step == name).map(|(_, visit)| *visit);
        if step.human.is_some() && approved.is_none() {
            return self.ask(|| self.step_question(step));
        }
        let taken: u64 = self.definition.steps.iter().filter_map(|step| self.state.visits.get(&step.name.text)).sum();
        // The question has counted this visit already.
        let is_counted = approved.is_some() && approved == self.state.visits.get(name).copied();
        let taken = taken - u64::from(is_counted);
        let limit = self.definition.max_steps.as_ref().and_then(SpannedText::to_u64);
        if let Some(limit) = limit.filter(|limit| taken >= *limit) {
            return RunnerAction::StepLimit(limit);
        }
        let visit = approved.unwrap_or_else(|| self.state.visits.get(name).map_or(1, |visits| visits + 1));
        RunnerAction::Record(vec![RunEvent::StepStarted { step: name.clone(), visit }])
    }

    /// Goes on with a step at work.
    fn go_on(&self, current: &CurrentStep, now: Timestamp) -> RunnerAction {
        let found = self.definition.steps.iter().enumerate().find(|(_, step)| step.name.text == current.step);
        let Some((index, step)) = found else {
            let reason = format!("the workflow has no step `{}` any more", current.step);
            return RunnerAction::Record(vec![end(false, Some(reason))]);
        };
        if let Some(candidates) = self.unsettled(step, current) {
            return RunnerAction::SettleCandidates(candidates);
        }
        if let Some(events) = self.end_step(step, current) {
            return RunnerAction::Record(events);
        }
        let mut waiting: Option<Timestamp> = None;
        let mut is_running = false;
        let mut missing = Vec::new();
        for (role, owner) in tasks(step, current) {
            let task = current.task(role);
            match task.and_then(|task| task.end.as_ref()) {
                Some(task) if task.result == TaskOutcome::Limit => {
                    let until = task.until.as_deref().and_then(Timestamp::parse).filter(|until| *until > now);
                    match until {
                        Some(until) => waiting = Some(waiting.map_or(until, |earliest| earliest.min(until))),
                        None => missing.push((role, owner)),
                    }
                }
                Some(task) if task.result == TaskOutcome::Stopped => missing.push((role, owner)),
                Some(_) => {}
                None if task.is_some() => is_running = true,
                None => missing.push((role, owner)),
            }
        }
        if !missing.is_empty() {
            let spec =
                |((role, owner), number)| TaskSpec { number, step: index, attempt: current.attempt, role, owner };
            return RunnerAction::Start(missing.into_iter().zip(self.state.tasks + 1..).map(spec).collect());
        }
        match waiting {
            Some(until) if !is_running => RunnerAction::WaitUntil(until),
            _ => RunnerAction::Wait,
        }
    }
}

/// The tasks of a step that are due: an evaluator follows its generator.
fn tasks(step: &WorkflowStep, current: &CurrentStep) -> Vec<(TaskRole, Option<String>)> {
    let text = |owner: &Option<SpannedText>| owner.as_ref().map(|owner| owner.text.clone());
    if let Some(evaluation) = &step.evaluation {
        let mut due = vec![(TaskRole::Generator, Some(evaluation.generator.text.clone()))];
        if current.task(TaskRole::Generator).is_some_and(|task| task.is_finished()) {
            due.push((TaskRole::Evaluator, Some(evaluation.evaluator.text.clone())));
        }
        return due;
    }
    if !step.fan_out.children.is_empty() {
        let children = step.fan_out.children.iter().enumerate();
        return children.map(|(at, child)| (TaskRole::Child(at), text(&child.owner))).collect();
    }
    match step.fan_out.count().filter(|count| *count > 1) {
        Some(count) => (1..=count).map(|number| (TaskRole::Candidate(number), text(&step.owner))).collect(),
        None => vec![(TaskRole::Step, text(&step.owner))],
    }
}

/// The event that ends a run.
fn end(is_complete: bool, reason: Option<String>) -> RunEvent {
    RunEvent::RunEnded { end: if is_complete { WorkflowEnd::Complete } else { WorkflowEnd::Aborted }, reason }
}
