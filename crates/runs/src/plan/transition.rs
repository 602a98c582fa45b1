//! The transitions of a step's status.

use super::{Gate, StepStates, WaitReason};
use canonry_model::canon::plan::{Plan, PlanStep, StepStatus};
use canonry_model::canon::report::{AttemptOutcome, StepAttempt};

/// Result in the last report on a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// There is no report.
    Missing,
    /// The report is not valid.
    Invalid,
    /// The report is valid and has this outcome.
    Reported(AttemptOutcome),
}

/// Why a transition is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransitionError {
    /// No rule allows it.
    NotAllowed,
    /// The step cannot start now.
    NotReady(WaitReason),
    /// A person decides first, for this reason.
    NeedsPerson(String),
    /// It needs a reason.
    NeedsReason,
    /// The last report does not say that the step succeeded.
    Unproved(Proof),
}

impl Proof {
    /// Result of the attempt with the highest number. An invalid report on it hides all earlier ones.
    pub fn from_reports(plan: &Plan, step: &PlanStep) -> Self {
        match plan.attempts_at(step).next_back() {
            None => Self::Missing,
            Some(StepAttempt { result: None, .. }) => Self::Invalid,
            Some(StepAttempt { result: Some(result), .. }) => Self::Reported(result.outcome),
        }
    }
}

/// Checks that the step at index `at` may get the status `to`.
///
/// # Errors
/// See [`TransitionError`].
pub fn check_transition(
    states: &StepStates<'_>,
    at: usize,
    to: StepStatus,
    gate: &Gate,
    proof: Proof,
    has_reason: bool,
) -> Result<(), TransitionError> {
    use StepStatus::{Blocked, Complete, InProgress, Pending};
    let from = states.status(at);
    if (from, to) == (Pending, InProgress)
        && let Some(obstacle) = states.obstacle(at)
    {
        return Err(TransitionError::NotReady(obstacle));
    }
    match (from, to) {
        (Pending, InProgress) | (InProgress, Complete) if gate.obstacle().is_some() => {
            Err(TransitionError::NeedsPerson(gate.obstacle().unwrap_or_default()))
        }
        (Pending, InProgress) => Ok(()),
        (InProgress, Complete) if proof != Proof::Reported(AttemptOutcome::Success) => {
            Err(TransitionError::Unproved(proof))
        }
        (InProgress, Complete | Blocked | Pending) => Ok(()),
        (Blocked | Complete, Pending) | (Pending, Blocked) if has_reason => Ok(()),
        (Blocked | Complete, Pending) | (Pending, Blocked) => Err(TransitionError::NeedsReason),
        _ => Err(TransitionError::NotAllowed),
    }
}
