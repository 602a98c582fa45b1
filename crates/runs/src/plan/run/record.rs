//! The records of a run: who works on what, and what an attempt comes to. They are durable before anything follows from them,
//! so that a later run can finish or end what this one left behind.

use super::super::CommandResult;
use super::Proposal;
use crate::exec::AttemptEnd;
use canonry_model::canon::plan::StepStatus;
use canonry_model::canon::report::{AttemptCause, AttemptOutcome};
use canonry_model::canon::timestamp::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;

/// An attempt that was started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptRecord {
    pub step: String,
    pub attempt: u64,
    /// The step's role.
    pub owner: String,
    /// When it was started, RFC 3339.
    pub started: String,
    /// The branch that was checked out; `None` if there was none. It gets the work.
    pub onto: Option<String>,
    /// The folder that the worker works in.
    pub folder: PathBuf,
    /// The branch and the commit that it was forked from, if the attempt has its own worktree.
    pub branch: Option<String>,
    pub fork: Option<String>,
    /// The identity of the worker; before it runs, the mark of its processes.
    pub worker: Option<String>,
    /// Identifies the claim on the step.
    #[serde(default)]
    pub claim: String,
    /// Whether a person set the step to pending: then the attempt counts for nothing.
    #[serde(default)]
    pub abandoned: bool,
    /// Whether it is about to decide the step: the branch may have its work already.
    #[serde(default)]
    pub is_announced: bool,
    /// Whether a person merged its pull request: the branch has the work, and the step is about to be complete.
    #[serde(default)]
    pub is_merged: bool,
}

/// Conclusion of an attempt: its report, and the step's new status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conclusion {
    pub report: Value,
    /// The status as a plan spells it.
    pub status: String,
}

impl Conclusion {
    /// The step's new status. A word that this version does not know needs a person.
    pub fn status(&self) -> StepStatus {
        StepStatus::from_word(&self.status).unwrap_or(StepStatus::Blocked)
    }

    /// The end of the attempt, without the time at which a usage limit ends.
    pub(super) fn end(&self) -> AttemptEnd {
        let text = |key: &str| self.report.get(key).and_then(Value::as_str).map(str::to_owned);
        let error = text("error").unwrap_or_default();
        if text("cause").as_deref() == Some(AttemptCause::PullRequest.as_str()) {
            return AttemptEnd::Proposed(error);
        }
        match self.status() {
            StepStatus::Complete => {
                let commands = self.report.get("commands").and_then(Value::as_array).map_or(0, Vec::len);
                AttemptEnd::Complete { commands, commit: text("commit") }
            }
            StepStatus::Pending => AttemptEnd::Retry(error),
            _ => AttemptEnd::Blocked(error),
        }
    }
}

/// End of a worker.
#[derive(Clone, Debug)]
pub enum WorkerEnd {
    /// With a valid report.
    Report(Value),
    /// Without a valid report, for this reason.
    NoReport(String),
    /// It was stopped because it took too long.
    Timeout(String),
    /// Its tool accepts no work until then.
    Limit { until: Option<Timestamp>, message: String },
    /// Its tool accepts no work now, and that of another owner of the role does.
    Replaced(String),
    /// A person merged its pull request: the branch has its work.
    Merged(Value),
    /// A person or a session did the work without a worker, and reports it.
    ByHand(Value),
    /// The run was stopped.
    Interrupted,
}

/// Next state of a step when an attempt ends.
#[derive(Clone, Debug)]
pub(super) struct AttemptVerdict {
    pub status: StepStatus,
    pub outcome: AttemptOutcome,
    pub cause: Option<AttemptCause>,
    pub error: Option<String>,
    pub waiting_until: Option<Timestamp>,
    pub commands: Vec<CommandResult>,
    /// The commit that the work builds upon, and its last one.
    pub base: Option<String>,
    pub commit: Option<String>,
}

impl AttemptVerdict {
    pub fn failed(cause: Option<AttemptCause>, error: impl Into<String>) -> Self {
        Self {
            // Replaced by `blocked` if no further attempt is allowed.
            status: StepStatus::Pending,
            outcome: AttemptOutcome::Failure,
            cause,
            error: Some(error.into()),
            waiting_until: None,
            commands: Vec::new(),
            base: None,
            commit: None,
        }
    }

    pub fn unverified(error: impl Into<String>) -> Self {
        Self::failed(Some(AttemptCause::Unverified), error)
    }

    pub fn complete(commands: Vec<CommandResult>) -> Self {
        Self {
            status: StepStatus::Complete,
            outcome: AttemptOutcome::Success,
            cause: None,
            error: None,
            waiting_until: None,
            commands,
            base: None,
            commit: None,
        }
    }

    pub fn postponed(cause: AttemptCause, error: impl Into<String>) -> Self {
        Self { outcome: AttemptOutcome::Blocked, ..Self::failed(Some(cause), error) }
    }

    pub fn blocked(cause: Option<AttemptCause>, error: impl Into<String>) -> Self {
        Self { status: StepStatus::Blocked, ..Self::failed(cause, error) }
    }

    /// Checked work that waits for a person.
    pub fn proposed(proposal: Proposal, commands: Vec<CommandResult>) -> Self {
        Self {
            outcome: AttemptOutcome::Blocked,
            commands,
            base: Some(proposal.base),
            commit: Some(proposal.commit),
            ..Self::blocked(Some(AttemptCause::PullRequest), proposal.message)
        }
    }

    /// The verdict of the worker itself. A report of success is not believed, that of a failure is.
    pub fn of_report(report: &Value) -> Self {
        let text = |key: &str| report.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let error = Some(text("error")).filter(|error| !error.trim().is_empty()).unwrap_or_else(|| text("details"));
        let is_disproved = report.get("passed").and_then(Value::as_bool) == Some(false);
        match text("outcome").as_str() {
            "success" if !is_disproved => Self::complete(Vec::new()),
            "blocked" => Self { outcome: AttemptOutcome::Blocked, ..Self::blocked(None, error) },
            _ => Self::failed(None, error),
        }
    }

    /// Whether the attempt counts toward the bound of the step.
    pub fn counts(&self) -> bool {
        !matches!(self.cause, Some(AttemptCause::UsageLimit | AttemptCause::Interrupted))
    }
}
