//! The state of a run, derived from its journal.

use super::event::{
    Destination, JournalEntry, Question, QuestionKind, RunEvent, RunStart, StepOutcome, TaskEnd, TaskOutcome, TaskRole,
    WorkflowEnd,
};
use canonry_model::canon::timestamp::Timestamp;
use canonry_model::canon::worker_usage::WorkerUsage;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The option that approves a step before its work begins.
pub const APPROVE: &str = "approve";

/// Everything that is known about a run.
#[derive(Clone, Debug, Default)]
pub struct RunState {
    pub start: RunStart,
    /// When the run began.
    pub started: Option<Timestamp>,
    /// The number of the last entry, and when it was written.
    pub last: u64,
    pub last_at: Option<Timestamp>,
    /// The object id of the definition in use.
    pub definition: String,
    pub position: RunPosition,
    /// Number of visits of each step and gate.
    pub visits: BTreeMap<String, u64>,
    /// Attempts at each step in this iteration, in all its visits, since the last decision of a person.
    pub attempts: BTreeMap<String, u64>,
    /// The step at work.
    pub current: Option<CurrentStep>,
    /// Every step that ended, in order.
    pub ended_steps: Vec<EndedStep>,
    /// The step whose work a person approved, and the visit in which it begins.
    pub approved: Option<(String, u64)>,
    /// The question that waits for a person.
    pub question: Option<Question>,
    /// Answers of persons, in order.
    pub answers: Vec<PersonAnswer>,
    /// The number of the last task.
    pub tasks: u64,
    pub iteration: u64,
    /// Why each earlier iteration was not enough.
    pub iteration_reasons: Vec<String>,
    /// The reasons of the last failures of each step, oldest first, until it ends well or a person decides.
    pub failures: BTreeMap<String, Vec<String>>,
    /// Why the work was sent back to the step that comes next.
    pub feedback: Option<String>,
    pub usage: WorkerUsage,
    /// Result of the run, and its reason.
    pub end: Option<(WorkflowEnd, Option<String>)>,
}

/// Where a run is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RunPosition {
    /// Before the first step.
    #[default]
    Start,
    Step(String),
    /// At a gate, with the step that led there and the destination that the gate interrupted.
    Gate {
        id: String,
        from: Option<String>,
    },
    /// A person decides how to go on after this step failed, or after a decision at this gate that leads nowhere.
    Person {
        step: String,
        gate: Option<String>,
    },
    /// The last step led to an end that is not recorded yet.
    Ending {
        is_complete: bool,
        reason: Option<String>,
    },
    Ended,
}

/// A step at work.
#[derive(Clone, Debug, PartialEq)]
pub struct CurrentStep {
    pub step: String,
    pub visit: u64,
    pub attempt: u64,
    pub started: Option<Timestamp>,
    /// The tasks of all attempts, oldest first.
    pub tasks: Vec<TaskState>,
    /// The last attempt whose candidates are settled, and why the chosen work could not be merged.
    pub settled: Option<(u64, Option<String>)>,
    /// Why the work was sent back here, then the reasons of the failed attempts, oldest first.
    pub feedback: Vec<String>,
}

/// A task of the step at work.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskState {
    pub number: u64,
    pub role: TaskRole,
    pub owner: Option<String>,
    /// The branch of a candidate, which works in a work tree of its own.
    pub branch: Option<String>,
    pub attempt: u64,
    /// The process that works on it.
    pub worker: Option<String>,
    pub started: Option<Timestamp>,
    /// When its end was recorded.
    pub ended: Option<Timestamp>,
    /// `None` while it runs, or if the run was killed.
    pub end: Option<TaskEnd>,
}

/// A step that ended.
#[derive(Clone, Debug, PartialEq)]
pub struct EndedStep {
    pub step: String,
    pub visit: u64,
    pub iteration: u64,
    pub attempts: u64,
    pub outcome: StepOutcome,
    pub output: Option<Value>,
    /// The number of the chosen task.
    pub task: Option<u64>,
    /// The end of the chosen answer.
    pub answer: String,
    pub keywords: Vec<String>,
    pub reason: Option<String>,
    pub next: Destination,
    pub started: Option<Timestamp>,
    pub ended: Option<Timestamp>,
    /// All its tasks, of every attempt.
    pub tasks: Vec<TaskState>,
}

/// Decision of a person.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PersonAnswer {
    pub name: String,
    pub kind: QuestionKind,
    pub visit: u64,
    pub option: String,
    pub by: String,
    pub why: Option<String>,
    pub at: Option<Timestamp>,
    pub from: Option<String>,
}

impl RunState {
    /// Derives the state from a whole journal.
    pub fn from_entries(entries: impl IntoIterator<Item = JournalEntry>) -> Self {
        let mut state = Self { iteration: 1, ..Self::default() };
        entries.into_iter().for_each(|entry| state.apply(entry));
        state
    }

    /// Whether the run ended.
    pub fn is_ended(&self) -> bool {
        self.end.is_some()
    }

    /// The last output of a step.
    pub fn output(&self, step: &str) -> Option<&Value> {
        self.last_end(step)?.output.as_ref()
    }

    /// The last end of a step that did its work.
    pub fn last_end(&self, step: &str) -> Option<&EndedStep> {
        self.ended_steps.iter().rev().find(|ended| ended.step == step && ended.outcome != StepOutcome::Failed)
    }

    /// The running task with this number.
    pub fn running(&self, number: u64) -> Option<&TaskState> {
        self.current.as_ref()?.tasks.iter().find(|task| task.number == number && task.end.is_none())
    }

    /// Applies one more entry.
    pub fn apply(&mut self, entry: JournalEntry) {
        let at = Timestamp::parse(&entry.at);
        self.last = entry.seq;
        self.last_at = at;
        match entry.event {
            RunEvent::RunStarted(start) => {
                self.definition.clone_from(&start.definition);
                self.start = start;
                self.started = at;
                self.iteration = 1;
            }
            RunEvent::Resumed { definition, .. } => self.definition = definition,
            RunEvent::IterationStarted { iteration, reason } => {
                self.iteration = iteration;
                self.iteration_reasons.push(reason.unwrap_or_default());
                self.position = RunPosition::Start;
                self.attempts.clear();
                self.end = None;
                self.current = None;
                self.question = None;
            }
            RunEvent::StepStarted { step, visit } => {
                self.visits.insert(step.clone(), visit);
                self.approved = None;
                self.count_attempt(&step);
                self.position = RunPosition::Step(step.clone());
                self.current = Some(CurrentStep {
                    step,
                    visit,
                    attempt: 1,
                    started: at,
                    tasks: Vec::new(),
                    settled: None,
                    feedback: self.feedback.take().into_iter().collect(),
                });
            }
            RunEvent::TaskStarted { number, attempt, role, owner, branch, worker, .. } => {
                self.tasks = self.tasks.max(number);
                if let Some(current) = &mut self.current {
                    let ended = None;
                    let end = None;
                    let started = at;
                    current.tasks.push(TaskState { number, role, owner, branch, attempt, worker, started, ended, end });
                }
            }
            RunEvent::WorkerStarted { number, worker } => {
                if let Some(task) = self.task_mut(number) {
                    task.worker = Some(worker);
                }
            }
            RunEvent::TaskEnded { number, end } => {
                self.usage = self.usage.plus(end.usage);
                if let Some(task) = self.task_mut(number).filter(|task| task.end.is_none()) {
                    task.end = Some(end);
                    task.ended = at;
                }
            }
            RunEvent::CandidatesSettled { attempt, error, .. } => {
                if let Some(current) = &mut self.current {
                    current.settled = Some((attempt, error));
                }
            }
            RunEvent::StepRetried { step, attempt, reason } => {
                if let Some(current) = &mut self.current {
                    current.attempt = attempt;
                    current.feedback.push(reason.clone());
                }
                self.count_attempt(&step);
                self.failures.entry(step).or_default().push(reason);
            }
            event @ RunEvent::StepEnded { .. } => self.end_step(event, at),
            RunEvent::PersonAsked(question) => {
                self.visits.insert(question.name.clone(), question.visit);
                self.question = Some(question);
            }
            RunEvent::PersonAnswered { name, visit, option, by, why, next } => {
                let question = self.question.take();
                let (kind, from) =
                    question.map_or((QuestionKind::Gate, None), |question| (question.kind, question.from));
                let repeats = matches!(next, Destination::Step(_));
                self.approved = match (kind, &next) {
                    (QuestionKind::Step, Destination::Step(step)) if *step == name && option == APPROVE => {
                        Some((name.clone(), visit))
                    }
                    // Who repeats a failed step has approved it.
                    (QuestionKind::Failure, Destination::Step(step)) if *step == name => {
                        Some((name.clone(), visit + 1))
                    }
                    _ => None,
                };
                // A person who repeats a failed step rarely says again why it failed.
                let failure = match (kind, &next) {
                    (QuestionKind::Failure, Destination::Step(step)) if *step == name => {
                        self.failures.get(&name).and_then(|reasons| reasons.last())
                    }
                    _ => None,
                };
                let reasons: Vec<&str> = failure.into_iter().chain(&why).map(String::as_str).collect();
                self.feedback = Some(reasons.join("\n\n")).filter(|reasons| repeats && !reasons.is_empty());
                self.failures.clear();
                self.attempts.clear();
                self.go(&next, from.clone(), Some(format!("{by} decided `{option}` at `{name}`")));
                if let (RunPosition::Person { gate, .. }, QuestionKind::Gate) = (&mut self.position, kind) {
                    *gate = Some(name.clone());
                }
                self.answers.push(PersonAnswer { name, kind, visit, option, by, why, at, from });
            }
            RunEvent::GateExpired { name, next, .. } => {
                let from = self.question.take().and_then(|question| question.from);
                self.go(&next, from, Some(format!("nobody answered at `{name}` in time")));
            }
            RunEvent::Notified { gate, next, .. } => {
                *self.visits.entry(gate).or_default() += 1;
                let from = match &self.position {
                    RunPosition::Gate { from, .. } => from.clone(),
                    _ => None,
                };
                self.go(&next, from, None);
            }
            RunEvent::RunEnded { end, reason } => {
                self.end = Some((end, reason));
                self.position = RunPosition::Ended;
                self.question = None;
            }
            RunEvent::Note { .. } => {}
        }
    }

    fn end_step(&mut self, event: RunEvent, at: Option<Timestamp>) {
        let RunEvent::StepEnded { step, visit, outcome, output, task, keywords, reason, next } = event else { return };
        let current = self.current.take().filter(|current| current.step == step);
        let (attempts, started, tasks) =
            current.map_or((0, None, Vec::new()), |current| (current.attempt, current.started, current.tasks));
        let chosen = tasks.iter().find(|known| Some(known.number) == task).and_then(|task| task.end.as_ref());
        match outcome {
            StepOutcome::Done => {
                self.failures.remove(&step);
            }
            StepOutcome::Failed | StepOutcome::Skipped | StepOutcome::Rejected => {
                self.failures.entry(step.clone()).or_default().extend(reason.clone());
            }
        }
        self.feedback = reason.clone().filter(|_| outcome == StepOutcome::Rejected);
        self.go(&next, Some(step.clone()), reason.clone());
        self.ended_steps.push(EndedStep {
            visit,
            iteration: self.iteration,
            attempts,
            outcome,
            output,
            task,
            answer: chosen.map(|end| end.answer.clone()).unwrap_or_default(),
            step,
            keywords,
            reason,
            next,
            started,
            ended: at,
            tasks,
        });
    }

    fn go(&mut self, next: &Destination, from: Option<String>, reason: Option<String>) {
        self.position = match next {
            Destination::Step(step) => RunPosition::Step(step.clone()),
            Destination::Gate(id) => RunPosition::Gate { id: id.clone(), from },
            Destination::Person => RunPosition::Person { step: from.unwrap_or_default(), gate: None },
            Destination::Complete => RunPosition::Ending { is_complete: true, reason: None },
            Destination::Abort => RunPosition::Ending { is_complete: false, reason },
        };
    }

    fn count_attempt(&mut self, step: &str) {
        *self.attempts.entry(step.to_owned()).or_default() += 1;
    }

    fn task_mut(&mut self, number: u64) -> Option<&mut TaskState> {
        self.current.as_mut()?.tasks.iter_mut().find(|task| task.number == number)
    }
}

impl CurrentStep {
    /// The latest task of this attempt with a role. A task that was stopped or reached a limit counts until it is
    /// started again.
    pub fn task(&self, role: TaskRole) -> Option<&TaskState> {
        self.tasks.iter().rev().find(|task| task.attempt == self.attempt && task.role == role)
    }
}

impl EndedStep {
    /// From its beginning to its end, in seconds.
    pub fn seconds(&self) -> Option<f64> {
        Some(self.ended?.to_jiff().duration_since(self.started?.to_jiff()).as_secs_f64())
    }

    /// The output of a step that failed: what its last worker says, if that says `passed: false`, otherwise the reason.
    pub fn failure_output(&self) -> Option<Value> {
        if !matches!(self.outcome, StepOutcome::Failed | StepOutcome::Skipped) {
            return None;
        }
        let outputs = self.tasks.iter().rev().filter(|task| matches!(task.role, TaskRole::Step | TaskRole::Generator));
        let last = outputs.filter_map(|task| task.end.as_ref()).next();
        let said =
            last.and_then(|end| end.output.as_ref()).filter(|output| output.get("passed") == Some(&false.into()));
        said.cloned().or_else(|| Some(json!({"passed": false, "error": self.reason})))
    }

    /// The usage of all its tasks.
    pub fn usage(&self) -> WorkerUsage {
        let ends = self.tasks.iter().filter_map(|task| task.end.as_ref());
        ends.fold(WorkerUsage::default(), |sum, end| sum.plus(end.usage))
    }
}

impl TaskState {
    /// Whether it ended by itself, well or not.
    pub fn is_finished(&self) -> bool {
        self.end.as_ref().is_some_and(|end| matches!(end.result, TaskOutcome::Done | TaskOutcome::Failed))
    }
}
