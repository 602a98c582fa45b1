//! The report of a plan or of a run of a workflow: every step with its attempts.

mod markdown;
mod of_plan;
mod of_workflow;

pub use of_workflow::{TaskTexts, reported_steps};

use crate::exec::RunKind;
use crate::numbers::counted;
use crate::plan::CommandResult;
use crate::workflow::diagram::WorkflowDiagram;
use crate::workflow::event::{Destination, Question};
use crate::workflow::run_state::PersonAnswer;
use canonry_model::canon::report::AttemptOutcome;
use canonry_model::canon::timestamp::Timestamp;
use canonry_model::canon::worker_usage::WorkerUsage;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The schema of the JSON document.
pub const REPORT_SCHEMA: &str = "canonry/run-report/v1";

/// Marks a page that canonry wrote and may replace.
pub const MARKER: &str = "<!-- Written by `canonry run report`. -->";

/// The report of a plan or a run.
#[derive(Clone, Debug, Serialize)]
pub struct RunReport {
    /// The plan's id, or that of the run.
    pub name: String,
    pub kind: RunKind,
    pub title: Option<String>,
    /// The goal of a plan, or the task of a workflow.
    pub goal: Option<String>,
    /// The workflow of a run, with its version.
    pub workflow: Option<String>,
    pub outcome: ReportOutcome,
    /// The state of a run in words, or why it was aborted.
    pub reason: Option<String>,
    pub started: Option<Timestamp>,
    /// The time of the last event.
    pub last: Option<Timestamp>,
    pub parameters: BTreeMap<String, String>,
    /// Of a plan; `None` without one.
    pub verification: Option<ReportedVerification>,
    pub question: Option<Question>,
    /// The graph of a workflow with the path of the run; `None` if the definition is not readable any more. The graph of a plan
    /// is in its steps.
    #[serde(skip)]
    pub diagram: Option<WorkflowDiagram>,
    /// The steps of a plan in file order, or the visits of a run in the order of their beginning.
    #[serde(skip)]
    pub steps: Vec<ReportedStep>,
    /// The earliest attempt that did not succeed, of the steps that no later attempt made good: the indexes of both.
    #[serde(skip)]
    pub first_failure: Option<(usize, usize)>,
    /// Decisions of people, oldest first.
    pub decisions: Vec<PersonAnswer>,
    pub usage: WorkerUsage,
}

/// Result of a plan or a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportOutcome {
    /// Every step is complete, its last report is a success, and the verification holds; or the workflow is complete.
    Success,
    /// The last attempt at a step failed, or the verification does not hold; or the workflow was aborted.
    Failure,
    /// A person is needed.
    Blocked,
    /// Work remains.
    Incomplete,
}

/// The verification of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReportedVerification {
    pub path: String,
    /// Problem of the entry; `None` if it holds.
    pub problem: Option<String>,
}

/// A step of a plan, or a visit of a step in a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ReportedStep {
    #[serde(rename = "id")]
    pub name: String,
    pub owner: String,
    #[serde(skip)]
    pub description: String,
    #[serde(skip)]
    pub criteria: Vec<String>,
    pub status: ReportedStatus,
    /// The steps that it depends on, by index.
    #[serde(skip)]
    pub deps: Vec<usize>,
    /// The number of the visit and of the iteration in a run.
    pub visit: Option<u64>,
    pub iteration: Option<u64>,
    /// The keywords that decided.
    pub keywords: Vec<String>,
    /// Why it failed, was rejected, or leads elsewhere.
    pub reason: Option<String>,
    pub next: Option<Destination>,
    pub output: Option<Value>,
    pub started: Option<Timestamp>,
    pub ended: Option<Timestamp>,
    pub seconds: Option<f64>,
    pub usage: WorkerUsage,
    #[serde(serialize_with = "count")]
    pub attempts: Vec<ReportedAttempt>,
}

/// Status of a step in a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportedStatus {
    #[default]
    Pending,
    InProgress,
    Complete,
    Blocked,
    Failed,
    /// The work was done and sent back.
    Rejected,
    /// It failed, and the workflow goes on.
    Skipped,
}

/// An attempt at a step: its report, or a task of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ReportedAttempt {
    #[serde(rename = "attempt")]
    pub number: u64,
    /// The number of the task in a run.
    pub task: Option<u64>,
    /// The part of the step.
    pub part: Option<String>,
    /// `None` if the report is invalid, or the task is at work.
    #[serde(serialize_with = "outcome_word")]
    pub outcome: Option<AttemptOutcome>,
    pub cause: Option<&'static str>,
    /// The role; `None` for a calling session.
    pub owner: Option<String>,
    pub started: Option<Timestamp>,
    /// The time of the report, or the end of the task.
    #[serde(rename = "timestamp")]
    pub ended: Option<Timestamp>,
    pub seconds: Option<f64>,
    /// The worker's text: the details of a report, or a whole answer.
    pub details: String,
    pub error: Option<String>,
    pub output: Option<Value>,
    pub prompt: Option<String>,
    #[serde(skip)]
    pub commit: Option<String>,
    #[serde(skip)]
    pub commands: Vec<CommandResult>,
    /// Changed files and executed tests, each with its status or result.
    #[serde(skip)]
    pub artifacts: Vec<(String, String)>,
    pub usage: WorkerUsage,
    /// The report's file, from the top of the canon.
    #[serde(skip)]
    pub path: Option<String>,
    /// The report itself, with all keys of its worker.
    #[serde(skip)]
    document: Map<String, Value>,
}

impl ReportOutcome {
    /// The outcome as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Blocked => "blocked",
            Self::Incomplete => "incomplete",
        }
    }
}

impl ReportedStatus {
    /// The status as documents spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Complete => "complete",
            Self::Blocked => "blocked",
            Self::Failed => "failed",
            Self::Rejected => "rejected",
            Self::Skipped => "skipped",
        }
    }
}

impl ReportedStep {
    /// Whether it is complete, and its last attempt succeeded.
    pub fn is_proved(&self) -> bool {
        let last = self.attempts.last();
        self.status == ReportedStatus::Complete && last.is_some_and(ReportedAttempt::is_success)
    }
}

impl ReportedAttempt {
    fn is_success(&self) -> bool {
        self.outcome == Some(AttemptOutcome::Success)
    }

    /// The outcome in words.
    pub fn outcome_word(&self) -> &'static str {
        match self.outcome {
            Some(outcome) => word(outcome),
            None if self.path.is_some() => "invalid report",
            None => "running",
        }
    }

    /// The outcome in words, with its cause.
    pub fn outcome_text(&self) -> String {
        let cause = self.cause.map(|cause| format!(" ({})", cause.replace('_', " "))).unwrap_or_default();
        format!("{}{cause}", self.outcome_word())
    }

    /// The error if it did not succeed, otherwise the worker's text.
    pub fn summary(&self) -> &str {
        let error = self.error.as_deref().filter(|error| !self.is_success() && !error.trim().is_empty());
        error.unwrap_or(&self.details)
    }
}

impl RunReport {
    /// The number of complete steps.
    pub fn complete(&self) -> usize {
        self.steps.iter().filter(|step| step.status == ReportedStatus::Complete).count()
    }

    /// The attempts with their steps.
    pub fn attempts(&self) -> impl Iterator<Item = (&ReportedStep, &ReportedAttempt)> {
        self.steps.iter().flat_map(|step| step.attempts.iter().map(move |attempt| (step, attempt)))
    }

    /// The first failure with its step.
    pub fn failed_attempt(&self) -> Option<(&ReportedStep, &ReportedAttempt)> {
        let (step, attempt) = self.first_failure?;
        let step = self.steps.get(step)?;
        Some((step, step.attempts.get(attempt)?))
    }

    /// The steps and attempts in numbers.
    pub fn progress(&self) -> String {
        let steps = match self.kind {
            RunKind::Plan => format!("{} of {} complete", self.complete(), counted(self.steps.len(), "step")),
            RunKind::Workflow => {
                let ended = self.steps.iter().filter(|step| step.status != ReportedStatus::InProgress).count();
                format!("{} ended", counted(ended, "step"))
            }
        };
        format!("{steps}, {}", counted(self.attempts().count(), "attempt"))
    }

    /// The document `canonry/run-report/v1`, which `combined.json` holds for a plan.
    pub fn to_json(&self) -> String {
        let is_invalid = |attempt: &ReportedAttempt| attempt.path.is_some() && attempt.outcome.is_none();
        let valid = self.attempts().filter(|(_, attempt)| !is_invalid(attempt));
        let invalid = self.attempts().filter(|(_, attempt)| is_invalid(attempt));
        let mut document = json!({"schema": REPORT_SCHEMA});
        if let (Some(document), Value::Object(mut content)) = (document.as_object_mut(), to_value(self)) {
            document.append(&mut content);
        }
        document["steps"] = self.steps.iter().map(|step| self.step_to_json(step)).collect();
        document["first_failure"] = self.failed_attempt().map_or(
            Value::Null,
            |(step, attempt)| json!({"step": step.name, "attempt": attempt.number, "task": attempt.task}),
        );
        document["reports"] = valid.map(|(step, attempt)| attempt.to_json(step)).collect();
        document["invalid_reports"] = invalid.map(|(_, attempt)| json!(attempt.path)).collect();
        serde_json::to_string_pretty(&document).expect("a JSON value has a text") + "\n"
    }

    fn step_to_json(&self, step: &ReportedStep) -> Value {
        let deps = step.deps.iter().filter_map(|at| Some(json!(self.steps.get(*at)?.name)));
        let mut document = to_value(step);
        document["deps"] = deps.collect();
        document
    }
}

impl ReportedAttempt {
    /// The report of the attempt, or the same keys for a task.
    fn to_json(&self, step: &ReportedStep) -> Value {
        if !self.document.is_empty() {
            return Value::Object(self.document.clone());
        }
        let mut document = to_value(self);
        document["step_id"] = json!(step.name);
        document["visit"] = json!(step.visit);
        document
    }
}

fn to_value(part: &impl Serialize) -> Value {
    serde_json::to_value(part).expect("a report has a JSON form")
}

fn count<S: Serializer>(attempts: &[ReportedAttempt], serializer: S) -> Result<S::Ok, S::Error> {
    attempts.len().serialize(serializer)
}

fn outcome_word<S: Serializer>(outcome: &Option<AttemptOutcome>, serializer: S) -> Result<S::Ok, S::Error> {
    outcome.map(word).serialize(serializer)
}

fn word(outcome: AttemptOutcome) -> &'static str {
    match outcome {
        AttemptOutcome::Success => "success",
        AttemptOutcome::Failure => "failure",
        AttemptOutcome::Blocked => "blocked",
    }
}

/// The earliest attempt that did not succeed, of the steps that `is_failed` names.
fn first_failure(steps: &[ReportedStep], is_failed: impl Fn(&ReportedStep) -> bool) -> Option<(usize, usize)> {
    let failed = steps.iter().enumerate().filter(|(_, step)| is_failed(step));
    let attempts = failed
        .flat_map(|(at, step)| step.attempts.iter().enumerate().map(move |(number, attempt)| ((at, number), attempt)));
    let failures = attempts.filter(|(_, attempt)| !attempt.is_success());
    failures.min_by_key(|(at, attempt)| (attempt.ended.is_none(), attempt.ended, *at)).map(|(at, _)| at)
}
