//! Events of a run.

use canonry_model::canon::owners::Budget;
use canonry_model::canon::timestamp::Timestamp;
use std::path::PathBuf;

/// Something that happened in a run.
#[derive(Clone, Debug)]
pub enum PlanRunEvent {
    /// The run starts with this budget.
    Budget {
        /// The plan's id.
        plan: String,
        /// The limits.
        budget: Budget,
        /// Number of steps that are not complete.
        open: usize,
    },
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
}

impl AttemptEnd {
    /// Whether the step gets no further attempt by itself: until everybody has the commits of the run, its claim stays.
    pub(super) fn is_decided(&self) -> bool {
        matches!(self, Self::Complete { .. } | Self::Blocked(_) | Self::Proposed(_))
    }
}
