//! The execution of a plan: which attempt starts next, what an ended attempt comes to, and what a killed run left behind.
//!
//! [`PlanRun`] decides, and a [`PlanWorld`] has the effects. Each method of the world is one effect or one look that can fail,
//! or be the last thing that a run does before it is killed; all that a later run needs is durable by then. The order of the
//! effects is therefore the protocol, and the simulation beside this module kills runs between any two of them.
//!
//! ```text
//! start:     claim -> record -> status in_progress -> mark of the worker -> work tree -> worker
//! conclude:  worker's report -> commit of its work -> candidate -> checks -> lock -> claim still ours? -> record and claim say done -> branch moves
//!            -> conclusion -> report -> status -> commit of this status -> work tree, claim and record go
//! give up:   commit of its work -> status as in the last commit -> work tree and record go
//! ```

mod conclude;
mod dispatch;
mod record;
mod recover;
#[cfg(test)]
mod simulation_tests;

pub use crate::exec::PersonRequest;
pub use dispatch::{Decision, Dispatch, Holdup};
pub use record::{AttemptRecord, Conclusion, WorkerEnd};

use super::{AttemptHistory, CommandResult};
use crate::exec::ExecEvent;
use canonry_model::canon::plan::{PlanStep, StepStatus};
use canonry_model::canon::timestamp::Timestamp;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Display;

/// The repository, the workers and the clock of a run.
///
/// Errors are those of the moment: a lock, a merge in progress, a plan that is being saved. The attempt waits, and the run
/// tries again.
pub trait PlanWorld {
    type Error: Display + Clone;
    /// The plan with its reports at one moment.
    type Look;
    type Claim;
    /// A process at work.
    type Worker;
    /// Remains of a worker that ended.
    type Left;
    /// Work that can become part of the branch.
    type Candidate;
    /// Excludes other commands from the plan until it is dropped.
    type Lock;

    /// Whether the run itself is stopped.
    fn is_interruption(error: &Self::Error) -> bool;
    fn now(&self) -> Timestamp;
    fn event(&self, event: ExecEvent);

    // The plan.
    fn look(&self) -> Result<Self::Look, Self::Error>;
    fn steps<'l>(&self, look: &'l Self::Look) -> &'l [PlanStep];
    fn history(&self, look: &Self::Look, step: &PlanStep) -> AttemptHistory;
    /// Why a person decides before the step may start.
    fn obstacle(&self, look: &Self::Look, step: &PlanStep) -> Result<Option<PersonRequest>, Self::Error>;
    /// Whether an attempt completed a step, by the records of this clone or by a committed report, and the branch still has
    /// the work and passes its checks.
    fn is_done(&self, look: &Self::Look, step: &PlanStep, attempt: u64) -> Result<bool, Self::Error>;
    fn blocked_reason(&self, look: &Self::Look, step: &PlanStep) -> PersonRequest;
    /// The highest number of an attempt at a step: of a report, a branch, or a record.
    fn last_attempt(&self, look: &Self::Look, step: &PlanStep) -> Result<u64, Self::Error>;
    /// The number of attempts after the first that the owner of a role allows.
    fn retries(&self, role: &str) -> u32;
    /// Checks that the branch on which the run began is checked out: it gets the work.
    fn require_branch(&self, look: &Self::Look) -> Result<(), Self::Error>;

    // The budget.
    fn has_room(&self, workers: usize) -> bool;
    fn has_attempts(&self) -> bool;
    fn may_wait(&self, until: Timestamp) -> bool;

    // An attempt begins.
    fn claim(&self, look: &Self::Look, step: &str, attempt: ClaimFor<'_>) -> Result<Taken<Self::Claim>, Self::Error>;
    /// Whether a killed run has published the decision under this claim: after that, it only had to clean up.
    fn is_decided(&self, claim: &Self::Claim) -> bool;
    /// Identifies a claim in the record of its attempt.
    fn token(&self, claim: &Self::Claim) -> String;
    /// A record without a work tree and a worker.
    fn new_record(&self, look: &Self::Look, step: &PlanStep, attempt: u64) -> Result<AttemptRecord, Self::Error>;
    fn save_record(&self, record: &AttemptRecord) -> Result<(), Self::Error>;
    /// Sets a step to `in_progress` if it is still ready. Nothing else changes the plan between the look and the edit.
    fn begin_step(&self, step: &str) -> Result<bool, Self::Error>;
    /// Creates the work tree and starts the worker. The record has both as soon as they exist, and before that a mark by which a
    /// later run finds the worker.
    fn launch(
        &mut self,
        look: &Self::Look,
        step: &PlanStep,
        record: &mut AttemptRecord,
    ) -> Result<Self::Worker, Self::Error>;

    // An attempt ends.
    fn worker_end(&self, record: &AttemptRecord, left: &Self::Left) -> Result<WorkerEnd, Self::Error>;
    fn save_report(&self, record: &AttemptRecord, report: &Value) -> Result<(), Self::Error>;
    /// Removes the report that the worker wrote: it is saved.
    fn remove_draft(&self, record: &AttemptRecord) -> Result<(), Self::Error>;
    /// Commits what the worker left in its own work tree.
    fn save_work(&self, look: &Self::Look, record: &AttemptRecord) -> Result<(), WorkError<Self::Error>>;
    fn candidate(&self, look: &Self::Look, record: &AttemptRecord) -> Result<Self::Candidate, WorkError<Self::Error>>;
    /// Runs the commands of the step on a candidate.
    fn check(
        &self,
        look: &Self::Look,
        record: &AttemptRecord,
        candidate: &Self::Candidate,
    ) -> Result<Checked, Self::Error>;
    /// Opens a pull request for a checked candidate, if its owner wants one. `None` if canonry moves the branch.
    fn propose(
        &self,
        look: &Self::Look,
        record: &AttemptRecord,
        candidate: &Self::Candidate,
        report: Option<&Value>,
        commands: &[CommandResult],
    ) -> Result<Option<Proposal>, Self::Error>;
    fn lock(&self, look: &Self::Look) -> Result<Self::Lock, Self::Error>;
    fn is_current(&self, look: &Self::Look, claim: &Self::Claim) -> Result<bool, Self::Error>;
    /// Tells other clones that the step is about to be complete, by a candidate, or blocked: a kill after the branch has moved
    /// must not let them begin.
    fn announce(
        &self,
        look: &Self::Look,
        claim: &Self::Claim,
        candidate: Option<&Self::Candidate>,
    ) -> Result<(), Self::Error>;
    /// Moves the branch to a checked candidate.
    fn accept(
        &self,
        look: &Self::Look,
        record: &AttemptRecord,
        candidate: &Self::Candidate,
    ) -> Result<Accepted, Self::Error>;
    fn save_conclusion(&self, record: &AttemptRecord, conclusion: &Conclusion) -> Result<(), Self::Error>;
    fn write_report(
        &self,
        lock: &mut Self::Lock,
        record: &AttemptRecord,
        conclusion: &Conclusion,
    ) -> Result<(), Self::Error>;
    fn set_status(&self, lock: &mut Self::Lock, step: &str, status: StepStatus) -> Result<(), Self::Error>;
    /// Commits the status of the step and the report, and takes the attempt into the memory. What fails here is a notice.
    fn publish(&self, record: &AttemptRecord, status: StepStatus) -> Result<(), Self::Error>;
    /// Removes the work tree of an attempt if its work is in the branch.
    fn remove_tree(&self, record: &AttemptRecord) -> Result<(), Self::Error>;
    /// Gives the claim up. That on a step with a decision stays until everybody has its commit.
    fn release(&self, claim: Self::Claim, is_decided: bool) -> Result<(), Self::Error>;
    /// Removes the record of an attempt. The conclusion of a complete step stays.
    fn close_record(&self, step: &str, attempt: u64) -> Result<(), Self::Error>;

    // A pull request that a person merged.
    /// An attempt at a step that waited for its pull request, with its report, if the branch has the work.
    fn merged_proposal(
        &self,
        look: &Self::Look,
        step: &PlanStep,
        attempt: u64,
    ) -> Result<Option<(AttemptRecord, Value)>, Self::Error>;
    /// The branch as it is.
    fn merged(&self, look: &Self::Look) -> Result<Self::Candidate, Self::Error>;

    // A killed run.
    /// Finishes what a kill interrupted in the repository, and forgets the claims on steps that everybody has.
    fn repair(&self) -> Result<(), Self::Error>;
    /// Removes the work trees that no record names and whose work is in the branch.
    fn sweep(&self) -> Result<(), Self::Error>;
    /// The status of a step in the last commit.
    fn committed_status(&self, look: &Self::Look, step: &str) -> Result<StepStatus, Self::Error>;
    fn records(&self) -> Result<Vec<AttemptRecord>, Self::Error>;
    fn conclusion(&self, step: &str, attempt: u64) -> Result<Option<Conclusion>, Self::Error>;
    fn saved_report(&self, record: &AttemptRecord) -> Result<Option<Value>, Self::Error>;
    /// A valid report that the worker wrote, and nobody saved.
    fn draft(&self, look: &Self::Look, record: &AttemptRecord) -> Result<Option<Value>, Self::Error>;
    fn has_tree(&self, look: &Self::Look, record: &AttemptRecord) -> Result<bool, Self::Error>;
    /// Ends the worker of a run that is gone.
    fn end_orphan(&self, record: &AttemptRecord) -> Result<(), Self::Error>;
}

/// The attempt that a step is claimed for.
#[derive(Clone, Copy, Debug)]
pub enum ClaimFor<'a> {
    /// One that began earlier. Its own claim continues, also if it says that the step is about to be complete.
    Earlier(&'a AttemptRecord),
    /// A new one with this number, or with a higher one if another clone has used it: reports of two clones never collide.
    Next(u64),
}

/// Result of claiming a step.
#[derive(Clone, Debug)]
pub enum Taken<C> {
    Claim {
        claim: C,
        attempt: u64,
    },
    /// Someone else works on the step, or has a result that is not here, as this says.
    Held(String),
    /// Others have decided about the step in a commit that is not here, as this says: an earlier attempt never counts.
    Decided(String),
}

/// Why there is no candidate.
#[derive(Clone, Debug)]
pub enum WorkError<E> {
    /// The work is not right, for this reason.
    Attempt(String),
    /// The branch has work already that goes beyond the step: another attempt cannot repair it.
    Beyond(String),
    /// The repository does not allow it now.
    Run(E),
}

impl<E> From<E> for WorkError<E> {
    fn from(error: E) -> Self {
        Self::Run(error)
    }
}

/// Results of a step's commands.
#[derive(Clone, Debug)]
pub enum Checked {
    Passed(Vec<CommandResult>),
    /// With the reason.
    Failed(Vec<CommandResult>, String),
    /// The commands may not be run: a person changed the plan, for example.
    Refused(String),
}

/// A pull request that a person has to merge.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// Condition of the step, for people.
    pub message: String,
    /// The commit that the work builds upon, and its last one.
    pub base: String,
    pub commit: String,
}

/// Result of accepting a checked candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// The branch has it: the work is between these commits.
    Complete { base: Option<String>, commit: Option<String> },
    /// It conflicts with other work.
    Conflict(String),
    /// The work cannot be committed.
    Refused(String),
    /// The branch or the files are no longer as they were.
    Moved,
}

/// An attempt of this run.
#[derive(Debug)]
pub struct ActiveAttempt<C> {
    pub record: AttemptRecord,
    pub claim: C,
}

/// An attempt that ended, and whose result cannot be recorded yet.
pub struct Waiting<W: PlanWorld> {
    pub attempt: ActiveAttempt<W::Claim>,
    /// Remains of its worker; `None` if it could not be started.
    left: Option<W::Left>,
    pub error: W::Error,
}

/// A run.
pub struct PlanRun<W: PlanWorld> {
    pub world: W,
    plan: String,
    /// Execute only this step.
    only: Option<String>,
    /// Start nothing once a step is blocked.
    fail_fast: bool,
    /// Attempts that ended, and whose result the repository does not allow to record yet.
    pub waiting: Vec<Waiting<W>>,
    /// Steps that this run cannot start, with the reasons.
    unstartable: BTreeMap<String, String>,
}

impl<W: PlanWorld> PlanRun<W> {
    /// A run of a plan, or of one step.
    pub fn new(world: W, plan: String, only: Option<String>, fail_fast: bool) -> Self {
        Self { world, plan, only, fail_fast, waiting: Vec::new(), unstartable: BTreeMap::new() }
    }
}

fn step_named<'s>(steps: &'s [PlanStep], id: &str) -> Option<&'s PlanStep> {
    steps.iter().find(|step| step.id_text() == id)
}
