//! Execution of a plan or a workflow: its events, and its end.

use crate::numbers::counted;
use crate::workflow::event::{JournalEntry, Question};
use canonry_model::canon::owners::Budget;
use canonry_model::canon::timestamp::Timestamp;
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// A plan, or a run of a workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    Plan,
    Workflow,
}

/// Result of an execution.
#[derive(Clone, Debug)]
pub struct RunOutcome {
    /// The plan's id, or that of the run.
    pub run: String,
    pub kind: RunKind,
    /// Why it ended.
    pub end: RunEnd,
    /// Number of attempts that it started.
    pub attempts: u64,
    /// Complete steps of a plan, or steps of a workflow that ended in this execution.
    pub complete: usize,
    /// The number of steps of a plan. A workflow may repeat its steps.
    pub steps: Option<usize>,
}

/// Why an execution ended.
#[derive(Clone, Debug, PartialEq)]
pub enum RunEnd {
    /// Everything is complete, or the step that was to be executed.
    Complete,
    /// The workflow was aborted, with the reason.
    Aborted(String),
    /// A limit is reached.
    Limit(RunLimit),
    /// Every tool that could continue accepts no work until then.
    WaitingUntil(Timestamp),
    /// A person is needed for these steps, with the reasons.
    NeedsPerson(Vec<(String, PersonRequest)>),
    /// A person decides.
    Asks(Question),
    /// The same failure happened several times in a row: what was tried.
    SameFailure(Vec<String>),
    /// Someone else works on these steps, or has done them, with the reasons.
    HeldElsewhere(Vec<(String, PersonRequest)>),
    /// The step cannot start yet.
    NotReady(String),
    /// The execution was stopped; it can be continued.
    Interrupted,
}

/// A decision that a run needs from a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonRequest {
    /// Why, with the next command.
    pub reason: String,
    /// The command that lets the run go on; `None` if there is more than one way.
    pub next: Option<String>,
}

impl PersonRequest {
    /// `effect` says what the command does.
    pub fn with_command(reason: &str, next: String, effect: &str) -> Self {
        Self { reason: format!("{reason}; `{next}` {effect}"), next: Some(next) }
    }
}

impl AsRef<str> for PersonRequest {
    fn as_ref(&self) -> &str {
        &self.reason
    }
}

impl From<String> for PersonRequest {
    fn from(reason: String) -> Self {
        Self { reason, next: None }
    }
}

/// A limit of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunLimit {
    /// Minutes, attempts, tokens or steps of one execution, in words. The next one continues.
    Call(String),
    /// `max_steps` of the workflow. Nothing continues before it is raised.
    MaxSteps(u64),
    /// `--iterations`, and why the last iteration was not enough.
    Iterations(u64, String),
}

/// The words that a calling loop reads.
pub mod loop_word {
    pub const CONTINUE: &str = "CONTINUE";
    pub const STEP_COMPLETE: &str = "STEP_COMPLETE";
    pub const COMPLETE: &str = "WORKFLOW_COMPLETE";
    pub const ABORT: &str = "ABORT";
    pub const LIMIT: &str = "LIMIT";
    pub const WAITING: &str = "WAITING";
    pub const PERSON: &str = "HUMAN_REQUIRED";
    pub const HELD_ELSEWHERE: &str = "HELD_ELSEWHERE";
    pub const NOT_READY: &str = "NOT_READY";
    pub const INTERRUPTED: &str = "INTERRUPTED";
    /// No task of the canon is left.
    pub const NO_TASKS: &str = "NO_TASKS_AVAILABLE";
}

impl RunOutcome {
    /// The steps that are done.
    pub fn progress(&self) -> String {
        match self.steps {
            Some(steps) => format!("{} of {} complete", self.complete, counted(steps, "step")),
            None => format!("{} ended", counted(self.complete, "step")),
        }
    }
}

impl RunEnd {
    /// The end in a word: for documents, and for a calling loop.
    pub fn words(&self) -> (&'static str, &'static str) {
        match self {
            Self::Complete => ("complete", loop_word::COMPLETE),
            Self::Aborted(_) => ("aborted", loop_word::ABORT),
            Self::Limit(_) => ("limit", loop_word::LIMIT),
            Self::WaitingUntil(_) => ("waiting", loop_word::WAITING),
            Self::NeedsPerson(_) | Self::Asks(_) | Self::SameFailure(_) => ("needs_person", loop_word::PERSON),
            Self::HeldElsewhere(_) => ("held_elsewhere", loop_word::HELD_ELSEWHERE),
            Self::NotReady(_) => ("not_ready", loop_word::NOT_READY),
            Self::Interrupted => ("interrupted", loop_word::INTERRUPTED),
        }
    }

    /// The reason of the end; `None` if everything is complete.
    pub fn reason(&self) -> Option<String> {
        (*self != Self::Complete).then(|| self.to_string())
    }

    /// The question that a person answers first.
    pub fn question(&self) -> Option<&Question> {
        if let Self::Asks(question) = self { Some(question) } else { None }
    }

    /// The steps that it is about, with the reasons.
    pub fn steps(&self) -> &[(String, PersonRequest)] {
        match self {
            Self::NeedsPerson(steps) | Self::HeldElsewhere(steps) => steps,
            _ => &[],
        }
    }
}

/// The reason of the end; empty if everything is complete.
impl fmt::Display for RunEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Complete => Ok(()),
            Self::Aborted(reason) => f.write_str(reason),
            Self::Limit(limit) => limit.fmt(f),
            Self::WaitingUntil(until) => write!(f, "waiting until {until}"),
            Self::NeedsPerson(steps) | Self::HeldElsewhere(steps) => {
                let steps: Vec<String> =
                    steps.iter().map(|(step, request)| format!("{step}: {}", request.reason)).collect();
                f.write_str(&steps.join("; "))
            }
            Self::Asks(question) => f.write_str(&question.message),
            Self::SameFailure(reasons) => {
                write!(f, "the same failure happened 3 times in a row: {}", reasons.join("; "))
            }
            Self::NotReady(step) => write!(f, "`{step}` is not ready"),
            Self::Interrupted => f.write_str("stopped"),
        }
    }
}

impl fmt::Display for RunLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(limit) => write!(f, "the limit of {limit} is reached"),
            Self::MaxSteps(limit) => write!(f, "the run took {limit} steps (`max_steps`)"),
            Self::Iterations(limit, reason) => {
                let noun = if *limit == 1 { "iteration" } else { "iterations" };
                write!(f, "the limit of {limit} {noun} is reached: {reason}")
            }
        }
    }
}

/// Something that happened in an execution.
#[derive(Clone, Debug)]
pub enum ExecEvent {
    /// It starts or continues with this budget.
    Budget {
        /// The plan's id, or that of the run.
        run: String,
        kind: RunKind,
        /// The limits.
        budget: Budget,
        /// The number of steps of a plan that are not complete.
        open: Option<usize>,
        /// The readable log of a workflow, which `tail -f` can follow.
        log: Option<PathBuf>,
    },
    /// An entry of a workflow's journal.
    Journal(JournalEntry),
    /// An attempt of an earlier run is finished or ended first.
    Recovered {
        /// The step's id.
        step: String,
        /// The number of the attempt.
        attempt: u64,
    },
    /// An attempt starts.
    Started {
        /// The step's id.
        step: String,
        /// The number of the attempt.
        attempt: u64,
        /// The step's role.
        owner: String,
        /// The worker's output.
        log: PathBuf,
    },
    /// An attempt ended.
    Ended {
        /// The step's id.
        step: String,
        /// The number of the attempt.
        attempt: u64,
        end: AttemptEnd,
    },
    /// The work of an attempt is not merged, or its work tree has uncommitted files: both stay.
    Kept {
        /// The branch.
        branch: String,
        /// The work tree.
        folder: PathBuf,
        /// Why it stays.
        reason: String,
    },
    /// Something the user should read, although the run continues.
    Notice(String),
}

/// Result of an attempt.
#[derive(Clone, Debug)]
pub enum AttemptEnd {
    /// The step is complete.
    Complete {
        /// Number of commands that passed. Without any, there is only the worker's word.
        commands: usize,
        /// The commit on the integration branch, if the attempt had a worktree.
        commit: Option<String>,
    },
    /// The attempt failed; the step is pending again.
    Retry(String),
    /// The step is blocked: a person must look at it.
    Blocked(String),
    /// The work is verified and waits for a person, as this says.
    Proposed(String),
    /// The tool accepts no work until then; the attempt does not count.
    WaitingUntil(Timestamp),
    /// The tool accepts no work, and another owner of the role goes on; the attempt does not count.
    Replaced(String),
    /// The run was stopped; the attempt does not count.
    Interrupted,
    /// Someone else has taken over the claim; the result is discarded, the work is kept.
    Fenced,
    /// Work by hand is not right yet, for this reason: nothing is recorded, and the step stays in progress.
    Unfinished {
        reason: String,
        /// Number of commands that ran.
        commands: usize,
    },
}

impl AttemptEnd {
    /// Whether the step gets no further attempt by itself: until everybody has the commits of the run, its claim stays.
    pub(crate) fn is_decided(&self) -> bool {
        matches!(self, Self::Complete { .. } | Self::Blocked(_) | Self::Proposed(_))
    }
}
