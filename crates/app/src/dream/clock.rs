//! Refuses to dream under a clock that is far off.

use super::DreamRequest;
use crate::consolidation::DreamPlan;
use crate::{Error, ErrorKind, Workspace};
use canonry_memory::Ruleset;
use canonry_memory::clock::{ClockEvidence, clock_problem};
use canonry_model::canon::timestamp::Timestamp;
use canonry_repo::git::history::head_time;

/// Compares the time of the dream with the log, the newest commit and the system's clock.
///
/// # Errors
/// [`ErrorKind::Refused`] if the time cannot be right.
pub(super) fn check_clock(workspace: &Workspace, request: &DreamRequest, plan: &DreamPlan) -> Result<(), Error> {
    if request.trust_clock || request.ruleset == Ruleset::Seed {
        return Ok(());
    }
    let seconds = workspace.repo().ok().and_then(head_time);
    let head = seconds.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok()).map(Timestamp::from);
    let system = request.now.map(|_| workspace.env.clock.now());
    match clock_problem(plan.params.now, &plan.decision.log.rows, ClockEvidence { head, system }) {
        None => Ok(()),
        Some(problem) => Err(Error::new(ErrorKind::Refused, format!("{problem}; nothing was written"))
            .help("correct the clock or `--now`; if the time is right, run this once with `--trust-clock`")),
    }
}
