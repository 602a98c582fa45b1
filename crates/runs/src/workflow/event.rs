//! The events of a run, one JSON object per line of `events.jsonl`.
//!
//! The journal is the truth: everything else about a run is derived from it. Lines are only appended. A step writes
//! `step_started` before and `step_ended` after its work, so that a resumed run knows what to run again.

use canonry_model::canon::worker_usage::WorkerUsage;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The version of the journal's format. A journal of another version is refused.
pub const JOURNAL_SCHEMA: &str = "canonry/workflow-journal/v1";

/// A line of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// Counts from 1 without gaps.
    pub seq: u64,
    /// When it was written, in RFC 3339.
    pub at: String,
    #[serde(flatten)]
    pub event: RunEvent,
}

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RunEvent {
    /// The first event of every run.
    RunStarted(RunStart),
    /// Another process continues the run.
    Resumed {
        /// The object id of the definition that is used from here on.
        definition: String,
        /// Basis of the definition: `unchanged`, `current`, `snapshot` or `migrated`.
        basis: String,
    },
    /// The workflow starts again from its first step.
    IterationStarted {
        iteration: u64,
        /// Why the last iteration was not enough.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A run reached a step.
    StepStarted { step: String, visit: u64 },
    /// A worker, or the calling session, begins a task of the step.
    TaskStarted {
        /// The number of the task in the run, from 1. It fences late workers.
        number: u64,
        step: String,
        attempt: u64,
        role: TaskRole,
        /// The role that does it; `None` for the calling session.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        owner: Option<String>,
        /// The branch on which a candidate works, in a work tree of its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<String>,
        /// The mark of the processes that are about to work on it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        worker: Option<String>,
    },
    /// The process that works on a task, so that a later run can end it.
    WorkerStarted { number: u64, worker: String },
    /// A task ended.
    TaskEnded {
        number: u64,
        #[serde(flatten)]
        end: TaskEnd,
    },
    /// The candidates of an attempt are done: the chosen work is merged.
    CandidatesSettled {
        step: String,
        attempt: u64,
        /// The task whose work was chosen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<u64>,
        /// Its last commit, which is merged.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commit: Option<String>,
        /// Why it could not be merged.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// The branches with work that is not merged. Nothing removes them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        kept: Vec<String>,
    },
    /// A step failed and is tried again.
    StepRetried {
        step: String,
        /// The number of the next attempt.
        attempt: u64,
        reason: String,
    },
    /// A step ended.
    StepEnded {
        step: String,
        visit: u64,
        outcome: StepOutcome,
        /// The validated output of the task that was chosen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<Value>,
        /// The task whose answer and output are used.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<u64>,
        /// The keywords that the answer decided with.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        keywords: Vec<String>,
        /// Why it failed, was rejected, or leads elsewhere.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        next: Destination,
    },
    /// A person is asked.
    PersonAsked(Question),
    /// A person decided.
    PersonAnswered {
        /// The question's name.
        name: String,
        visit: u64,
        option: String,
        by: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
        next: Destination,
    },
    /// Nobody answered in time.
    GateExpired { name: String, visit: u64, action: String, next: Destination },
    /// A notification was written; nobody needs to answer.
    Notified { gate: String, message: String, next: Destination },
    /// The run ended.
    RunEnded {
        end: WorkflowEnd,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A remark, for example that a torn last line was found.
    Note { text: String },
}

/// Start of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunStart {
    /// [`JOURNAL_SCHEMA`].
    pub schema: String,
    pub run: String,
    /// The name of the workflow file, without its extension.
    pub workflow: String,
    /// `workflow_version`, if the workflow has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The object id of the definition, which is saved as `definition.yaml`.
    pub definition: String,
    /// Task of the workflow: `{{task}}`.
    #[serde(default)]
    pub task: String,
    /// The task of the canon that the run has, by its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
}

/// A part of a step's work that one worker does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskRole {
    /// The whole step.
    Step,
    /// A child of `parallel`, by index.
    Child(usize),
    /// One of `parallel_candidates`, from 1.
    Candidate(u64),
    Generator,
    Evaluator,
}

/// End of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskEnd {
    pub result: TaskOutcome,
    /// The output in the answer, if it meets the step's contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// The end of the answer, which contains the decision. The whole answer is in the step's report.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answer: String,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// For [`TaskOutcome::Limit`]: when the tool accepts work again, in RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Working time in seconds.
    #[serde(default)]
    pub seconds: f64,
    #[serde(default, skip_serializing_if = "WorkerUsage::is_unknown")]
    pub usage: WorkerUsage,
}

impl TaskEnd {
    /// The end of a task that does not count.
    pub fn stopped() -> Self {
        Self {
            result: TaskOutcome::Stopped,
            output: None,
            answer: String::new(),
            error: None,
            until: None,
            seconds: 0.0,
            usage: WorkerUsage::default(),
        }
    }

    /// The end of the same task as a failure, for this reason.
    pub fn failed(self, error: String) -> Self {
        Self { result: TaskOutcome::Failed, error: Some(error), ..self }
    }
}

/// Result of the work on a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskOutcome {
    Done,
    Failed,
    /// The tool reached a usage limit. The task is started again and does not count.
    Limit,
    /// The run was stopped or killed. The task is started again and does not count.
    Stopped,
}

/// Result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepOutcome {
    Done,
    Failed,
    /// The work was done and sent back.
    Rejected,
    /// It failed, and the workflow says to go on.
    Skipped,
}

/// Where a run goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Destination {
    Step(String),
    Gate(String),
    /// A person decides how to go on, because the workflow does not say it.
    Person,
    Complete,
    Abort,
}

/// A question to a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// The id of the gate, or the name of the step.
    pub name: String,
    pub kind: QuestionKind,
    /// The number of the question with this name, from 1.
    pub visit: u64,
    /// The step that led here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    pub message: String,
    /// The possible answers; any text if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// When the gate's timeout ends, in RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<String>,
}

impl Question {
    /// The command that answers a question of a run.
    pub fn answer_command(&self, run: &str) -> String {
        let option = if self.options.is_empty() { "TEXT".to_owned() } else { self.options.join("|") };
        format!("canonry run approve {run} --option {option}")
    }
}

/// Kind of a question to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    Gate,
    /// A step that a person does (`human`).
    Step,
    /// A step failed, and the workflow does not say what to do.
    Failure,
}

/// End of a workflow in its journal. A run that only stops has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkflowEnd {
    Complete,
    Aborted,
}
