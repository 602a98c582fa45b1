//! Verdict on a step when an attempt ends.

use super::records::AttemptRecord;
use crate::Timestamp;
use crate::plan::StepStatus;
use crate::plan::claims::ClaimHandle;
use canonry_model::canon::owners::Owner;
use canonry_model::canon::report::{AttemptCause, AttemptOutcome};
use canonry_repo::git::worktrees::AttemptTree;
use canonry_runs::plan::CommandResult;

/// An attempt that has ended.
pub(super) struct EndedAttempt<'a> {
    pub record: &'a AttemptRecord,
    pub owner: Option<&'a Owner>,
    pub claim: &'a ClaimHandle,
    pub tree: Option<&'a AttemptTree>,
}

/// Next state of the step.
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
}
