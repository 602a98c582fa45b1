//! The repository, the workers and the clock of a run.

use super::records::Records;
use super::{checked_out, tip};
use crate::attempt::{fork, tree_folder};
use crate::plan::claims::ClaimHandle;
use crate::plan::load::{self as plan_load, LoadedPlan, no_step};
use crate::plan::step_commit::StepCommit;
use crate::plan::verification::Checks;
use crate::plan::work::StepWork;
use crate::plan::{StepStatus, episode};
use crate::workers::{BudgetClock, Observer, RunLimits, UsageLimits};
use crate::{Environment, Error, ErrorKind, RepoPath, Workspace};
use canonry_model::canon::approval::file_name;
use canonry_model::canon::owners::Owners;
use canonry_model::canon::plan::PlanStep;
use canonry_model::canon::report::StepAttempt;
use canonry_repo::apply::Session;
use canonry_repo::git::worktrees::{self, AttemptName, AttemptTree, DetachedTree};
use canonry_repo::view::{Basis, load};
use canonry_runs::exec::ExecEvent;
use canonry_runs::plan::Claim;
use canonry_runs::plan::run::{AttemptRecord, PlanWorld, WorkError};
use gix::ObjectId;
use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The world of one run.
pub(in crate::plan) struct RepoWorld<'a> {
    /// Its cancellation stops the run.
    pub env: &'a Environment,
    /// The same without cancellation: the end of an attempt is recorded completely.
    pub recording: Environment,
    pub plan: String,
    /// The plan's file.
    pub path: RepoPath,
    pub owners: Owners,
    pub clock: BudgetClock,
    /// The branch that was checked out when the run began.
    pub onto: Option<String>,
    /// Where that branch was when this run looked last.
    pub tip: Cell<Option<ObjectId>>,
    pub records: Records,
    /// The work tree of the last check.
    pub checked: RefCell<Option<DetachedTree>>,
    /// The folder of run journals in the canon.
    pub runs: RepoPath,
    pub observer: &'a dyn Observer,
}

/// The plan with its reports at one moment.
pub(in crate::plan) struct Look {
    pub workspace: Workspace,
    pub loaded: LoadedPlan,
}

/// The claim of an attempt.
pub(in crate::plan) struct HeldClaim {
    /// `None` if nobody has claimed the step: a person began it in the plan.
    pub handle: Option<ClaimHandle>,
    pub renewed: Instant,
    /// Whether it already tells others about a decision. Then it stays as it is.
    pub is_decided: bool,
}

/// Canonry's lock, and the repository as it is under the lock.
pub(in crate::plan) struct PlanLock {
    pub session: Session,
    pub workspace: Workspace,
}

impl HeldClaim {
    /// A claim that was taken just now.
    pub fn new(handle: ClaimHandle, claim: &Claim) -> Self {
        let is_decided = claim.done.is_some() && !claim.is_announced();
        Self { handle: Some(handle), renewed: Instant::now(), is_decided }
    }

    /// The claim of a person, if there is one.
    pub fn by_hand(handle: Option<ClaimHandle>) -> Self {
        Self { handle, renewed: Instant::now(), is_decided: false }
    }
}

impl<'a> RepoWorld<'a> {
    /// The world of a run that begins now.
    ///
    /// # Errors
    /// There is no repository.
    pub fn new(
        workspace: &'a Workspace,
        loaded: &LoadedPlan,
        owners: Owners,
        clock: BudgetClock,
        observer: &'a dyn Observer,
    ) -> Result<Self, Error> {
        let repo = workspace.repo()?;
        Ok(Self {
            env: &workspace.env,
            recording: Environment { cancel: Arc::default(), ..workspace.env.clone() },
            records: Records::new(workspace, &loaded.id)?,
            runs: workspace.layout.runs(),
            plan: loaded.id.clone(),
            path: loaded.plan.path.clone(),
            owners,
            clock,
            onto: checked_out(repo),
            tip: Cell::new(tip(repo)),
            checked: RefCell::default(),
            observer,
        })
    }

    /// The world of one command, without workers.
    ///
    /// # Errors
    /// `owners.yaml` is invalid, or there is no repository.
    pub fn by_hand(workspace: &'a Workspace, loaded: &LoadedPlan, observer: &'a dyn Observer) -> Result<Self, Error> {
        let owners = crate::owners::load_if_any(workspace)?.unwrap_or_default();
        let clock = BudgetClock::start(owners.budget, &RunLimits::default(), UsageLimits::load(workspace));
        Self::new(workspace, loaded, owners, clock, observer)
    }
}

impl RepoWorld<'_> {
    /// Opens the repository anew: a run takes long, and others change files meanwhile.
    pub fn open(&self) -> Result<Workspace, Error> {
        Workspace::open(&self.recording, &Basis::WorkTree)
    }

    /// Renews a claim, and says whether its worker may go on: another one may hold the step. Then what this one leaves is
    /// kept, and its result is discarded.
    pub fn keep_claim(&self, claim: &mut HeldClaim, renewal: Duration) -> Result<bool, Error> {
        if claim.renewed.elapsed() <= renewal {
            return Ok(true);
        }
        claim.renewed = Instant::now();
        let workspace = Workspace::open(self.env, &Basis::WorkTree)?;
        let renewed = claim.handle.as_mut().map_or(Ok(()), |handle| handle.renew(&workspace));
        Ok(!renewed.is_err_and(|error| error.kind == ErrorKind::Contention))
    }

    pub fn report_path(&self, workspace: &Workspace, record: &AttemptRecord) -> Result<RepoPath, Error> {
        plan_load::report_path(&workspace.layout, &self.path, &record.step, record.attempt).ok_or_else(|| {
            let message = format!("step `{}` of plan `{}` can have no reports", record.step, self.plan);
            Error::new(ErrorKind::Refused, message).help(plan_load::NO_REPORT_HELP)
        })
    }

    /// Where the report of an attempt ends up. Workers that follow the skills of the canon write it there.
    pub fn final_report(&self, workspace: &Workspace, record: &AttemptRecord) -> Result<PathBuf, Error> {
        Ok(record.folder.join(self.report_path(workspace, record)?.to_display()))
    }

    /// Where the worker of an attempt writes its report: inside the folder that it works in, because many tools write
    /// nowhere else.
    pub fn draft_path(&self, record: &AttemptRecord) -> PathBuf {
        let plan = file_name(&self.plan);
        let step = file_name(&record.step);
        record.folder.join(self.runs.to_display()).join(plan).join(format!("{step}.{}.json", record.attempt))
    }

    pub fn step<'l>(&self, look: &'l Look, id: &str) -> Result<&'l PlanStep, Error> {
        let steps = self.steps(look);
        steps.iter().find(|step| step.id_text() == id).ok_or_else(|| no_step(id, steps))
    }

    pub fn work<'w>(&'w self, look: &'w Look, record: &'w AttemptRecord) -> Result<StepWork<'w>, Error> {
        Ok(StepWork {
            workspace: &look.workspace,
            loaded: &look.loaded,
            records: &self.records,
            step: self.step(look, &record.step)?,
            attempt: record.attempt,
            folder: &record.folder,
        })
    }

    pub fn checks(&self, timeout: Duration) -> Checks<'_> {
        Checks { setup: self.owners.setup.as_deref(), timeout, cancel: &self.env.cancel, tree: &self.checked }
    }

    /// The worktree of an attempt, if it has one.
    pub fn tree(&self, workspace: &Workspace, record: &AttemptRecord) -> Result<Option<AttemptTree>, Error> {
        let (Some(branch), Some(fork)) = (&record.branch, &record.fork) else { return Ok(None) };
        let fork = ObjectId::from_hex(fork.as_bytes())
            .map_err(|e| Error::new(ErrorKind::Internal, format!("the record of {branch} is damaged: {e}")))?;
        let name = AttemptName { plan: self.plan.clone(), step: record.step.clone(), attempt: record.attempt };
        let Some(folder) = tree_folder(workspace, &name)? else { return Ok(None) };
        Ok(worktrees::at(workspace.repo()?, &folder, branch, fork)?)
    }

    /// The worktree of an attempt that has one.
    pub fn own_tree(&self, workspace: &Workspace, record: &AttemptRecord) -> Result<AttemptTree, WorkError<Error>> {
        let tree = self.tree(workspace, record)?;
        tree.ok_or_else(|| WorkError::Attempt("the work tree of the attempt is gone".to_owned()))
    }

    /// Creates the worktree of an attempt, forked from the integration branch.
    pub fn fork(&self, workspace: &Workspace, record: &mut AttemptRecord) -> Result<(), Error> {
        let name = AttemptName { plan: self.plan.clone(), step: record.step.clone(), attempt: record.attempt };
        let tree = fork(workspace, &name, &self.env.cancel)?;
        record.folder = tree.folder.join(workspace.view.base().to_display());
        record.branch = Some(tree.branch);
        record.fork = Some(tree.fork.to_string());
        self.save_record(record)
    }

    /// Commits the status of a step, see [`StepCommit`]. A commit that is refused loses nothing, and the run goes on.
    pub fn commit_step(&self, workspace: &Workspace, step: &str, last: u64, status: StepStatus) {
        let request = StepCommit { plan: &self.plan, path: &self.path, step, last, status };
        let reported = self.report_commits(workspace);
        let committed = match reported.and_then(|()| request.commit(workspace)) {
            Ok(true) => self.own_tip(workspace),
            Ok(false) => Ok(()),
            Err(error) => Err(error),
        };
        if let Err(error) = committed {
            self.event(ExecEvent::Notice(format!("the plan and its reports are not committed: {error}")));
        }
    }

    /// Records an attempt as an episode of the memory. Without it, nothing is lost but a lesson.
    pub fn learn(&self, workspace: &Workspace, record: &AttemptRecord) {
        let Workspace { view, layout, .. } = workspace;
        let recorded = self.report_path(workspace, record).and_then(|path| {
            let attempts = load::report(view, &path, &load::schemas(view, layout)?, layout).attempts();
            let is_own = |attempt: &&StepAttempt| attempt.step == record.step && attempt.number == record.attempt;
            if let Some(attempt) = attempts.iter().find(is_own) {
                episode::record_attempt(workspace, &self.plan, attempt)?;
            }
            Ok(())
        });
        if let Err(error) = recorded {
            self.event(ExecEvent::Notice(format!("the attempt is not in the memory log: {error}")));
        }
    }
}
