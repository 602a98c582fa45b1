//! The state of a plan, or of a run of a workflow.

use crate::Timestamp;
use canonry_model::canon::worker_usage::WorkerUsage;
use canonry_runs::exec::RunKind;
use canonry_runs::report::ReportedStep;
use canonry_runs::workflow::event::Question;
use canonry_text::secrets::without_secrets;
use serde::{Serialize, Serializer};
use serde_json::json;
use std::fmt;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes at the end of a log that are searched for its last line.
const TAIL: u64 = 4096;

/// The state of a plan or a run.
#[derive(Clone, Debug, Serialize)]
pub struct RunStatus {
    /// The plan's id, or that of the run.
    pub name: String,
    /// Whether it is a plan or a run of a workflow.
    pub kind: RunKind,
    /// Whether it goes on, waits or has ended.
    #[serde(flatten)]
    pub phase: RunPhase,
    /// The steps in numbers.
    pub steps: StepCounts,
    /// Attempts that have not ended, or that are started again later.
    pub attempts: Vec<OpenAttempt>,
    /// The claims on steps.
    pub claims: Vec<StepClaim>,
    /// The steps that wait for the end of a usage limit.
    #[serde(serialize_with = "times")]
    pub waiting: Vec<(String, Timestamp)>,
    /// The steps that are blocked, with the reason and the next command.
    #[serde(serialize_with = "reasons")]
    pub blocked: Vec<(String, String)>,
    /// The steps that could start if a person approved them, with the reasons.
    #[serde(serialize_with = "reasons")]
    pub unapproved: Vec<(String, String)>,
    /// The question to a person.
    pub question: Option<Question>,
    /// Whether the deadline of the question is over.
    #[serde(rename = "overdue")]
    pub is_overdue: bool,
    /// Tokens and cost of all tasks, if the tools report them.
    pub usage: WorkerUsage,
    /// The position in the workflow of a run.
    pub workflow: Option<WorkflowPosition>,
}

/// Whether a plan or a run goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum RunPhase {
    /// Somebody works on a step.
    Working,
    /// Nobody works on it: `exec` or `next` continues it.
    Ready,
    /// The tools accept no work until then.
    #[serde(rename = "waiting")]
    WaitingUntil { until: Timestamp },
    /// A person decides first.
    NeedsPerson,
    /// The run took as many steps as the workflow allows (`max_steps`).
    #[serde(rename = "limit")]
    StepLimit { max_steps: u64 },
    /// Every step is complete.
    Complete,
    /// The run was aborted, with the reason.
    Aborted { reason: Option<String> },
    /// It cannot be read, for this reason.
    Unreadable { reason: String },
}

/// The steps in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StepCounts {
    /// The number of steps; `None` for a workflow, which may repeat its steps.
    pub total: Option<usize>,
    /// Steps that are complete or have ended.
    pub complete: usize,
    /// Steps in progress.
    pub in_progress: usize,
    /// Steps that a worker may start now.
    pub ready: usize,
}

/// An attempt that has not ended.
#[derive(Clone, Debug, Serialize)]
pub struct OpenAttempt {
    /// The step, or the part of it.
    pub step: String,
    /// The number of the attempt.
    pub attempt: u64,
    /// The number of the task in a run.
    pub task: Option<u64>,
    /// The role that works on it; `None` for a calling session.
    pub owner: Option<String>,
    /// When it was started.
    pub started: Option<Timestamp>,
    /// Seconds since then.
    pub seconds: i64,
    /// Whether somebody works on it.
    #[serde(flatten)]
    pub state: AttemptState,
    /// The last line of output.
    pub last_line: String,
    /// The worker's output.
    pub log: Option<PathBuf>,
}

/// State of an attempt that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum AttemptState {
    /// A worker or a calling session works on it.
    Running,
    /// Its run or its worker is gone: the next `exec` continues it.
    Interrupted,
    /// The tool reached a usage limit.
    #[serde(rename = "waiting")]
    WaitingUntil { until: Option<Timestamp> },
}

/// A claim on a step.
#[derive(Clone, Debug, Serialize)]
pub struct StepClaim {
    /// The step's id.
    pub step: String,
    /// Who holds it; `None` if a newer version of canonry made it.
    pub holder: Option<String>,
    /// When it was taken or renewed.
    pub time: Option<Timestamp>,
    /// Whether another worker may take it over now.
    #[serde(rename = "free")]
    pub is_free: bool,
}

/// The position of a run in its workflow.
#[derive(Clone, Debug, Serialize)]
pub struct WorkflowPosition {
    /// The name of the workflow.
    pub name: String,
    /// `workflow_version`.
    pub version: Option<String>,
    /// Task of the workflow.
    pub task: String,
    /// The run's folder.
    pub folder: PathBuf,
    /// When the run began.
    pub started: Option<Timestamp>,
    /// When something was last recorded.
    pub last: Option<Timestamp>,
    /// The iteration, from 1.
    pub iteration: u64,
    /// The step at work or next.
    pub step: Option<StepPosition>,
    /// The steps that ended, oldest first.
    pub ended: Vec<ReportedStep>,
}

/// A step at work or next.
#[derive(Clone, Debug, Serialize)]
pub struct StepPosition {
    /// The step's name.
    pub name: String,
    /// The number of the visit and of the attempt; `None` if it has not begun.
    pub visit: Option<u64>,
    /// The number of the attempt.
    pub attempt: Option<u64>,
}

impl fmt::Display for RunPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Working => f.write_str("working"),
            Self::Ready => f.write_str("ready to continue"),
            Self::WaitingUntil { until } => write!(f, "waiting until {until}"),
            Self::NeedsPerson => f.write_str("waiting for a person"),
            Self::StepLimit { max_steps } => write!(f, "at the limit of {max_steps} steps (`max_steps`)"),
            Self::Complete => f.write_str("complete"),
            Self::Aborted { .. } => f.write_str("aborted"),
            Self::Unreadable { reason } => write!(f, "cannot be read: {reason}"),
        }
    }
}

impl RunStatus {
    /// A state without steps.
    pub(crate) fn new(name: String, kind: RunKind, phase: RunPhase) -> Self {
        Self {
            name,
            kind,
            phase,
            steps: StepCounts::default(),
            attempts: Vec::new(),
            claims: Vec::new(),
            waiting: Vec::new(),
            blocked: Vec::new(),
            unapproved: Vec::new(),
            question: None,
            is_overdue: false,
            usage: WorkerUsage::default(),
            workflow: None,
        }
    }

    /// Whether no work is left.
    pub fn is_ended(&self) -> bool {
        matches!(self.phase, RunPhase::Complete | RunPhase::Aborted { .. })
    }

    /// The next command.
    pub fn next_command(&self) -> String {
        let Self { name, kind, question, unapproved, .. } = self;
        match (&self.phase, kind) {
            (RunPhase::NeedsPerson, _) => match (question, unapproved.first()) {
                (Some(_), _) if self.is_overdue => format!("canonry run exec {name}"),
                (Some(question), _) => question.answer_command(name),
                (None, Some((step, _))) => format!("canonry run approve {name} {step} --reason TEXT"),
                (None, None) => format!("canonry run status {name}"),
            },
            (RunPhase::Ready | RunPhase::WaitingUntil { .. }, _) => format!("canonry run exec {name}"),
            (RunPhase::Working, RunKind::Plan) | (RunPhase::Unreadable { .. }, RunKind::Workflow) => {
                format!("canonry run status {name}")
            }
            (RunPhase::Working, RunKind::Workflow) => format!("canonry run log {name} --follow"),
            (RunPhase::StepLimit { .. }, _) => format!("canonry run exec {name} --migrate"),
            (RunPhase::Complete | RunPhase::Aborted { .. } | RunPhase::Unreadable { .. }, RunKind::Plan) => {
                format!("canonry run check {name}")
            }
            (RunPhase::Complete | RunPhase::Aborted { .. }, RunKind::Workflow) => format!("canonry run report {name}"),
        }
    }
}

impl OpenAttempt {
    /// The attempt with the last line of its log, if it has one.
    pub(crate) fn with_log(self, log: PathBuf) -> Self {
        match last_line(&log) {
            Ok(last_line) => Self { last_line: without_secrets(&last_line), log: Some(log), ..self },
            // The worker may not have written anything.
            Err(_) => self,
        }
    }
}

fn reasons<S: Serializer>(steps: &[(String, String)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(steps.iter().map(|(step, reason)| json!({"step": step, "reason": reason})))
}

fn times<S: Serializer>(steps: &[(String, Timestamp)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(steps.iter().map(|(step, until)| json!({"step": step, "until": until})))
}

fn last_line(log: &Path) -> std::io::Result<String> {
    let mut file = canonry_repo::fs::open(log)?;
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned())
}
