//! Pushes the result of a step to the upstream branch by compare-and-swap.
//!
//! The jobs of a plan run at the same time, each in its own clone. A push is rejected if another job was faster. Then the
//! branch is merged, the status of the step is set in the others' version of the plan, and the step is verified together with
//! their work before the next try. Nothing is forced.

use super::StepStatus;
use super::gate::Gates;
use super::load::LoadedPlan;
use super::run::records::Records;
use super::verification::{COMMAND_TIMEOUT, Checks, Verifier};
use crate::attempt::is_control;
use crate::workers::Observer;
use crate::{Environment, Error, ErrorKind, RepoPath, Workspace};
use canonry_model::canon::Blob;
use canonry_model::canon::plan::Plan;
use canonry_model::canon::schema::Schemas;
use canonry_repo::git::diff::{changed_files, is_ancestor};
use canonry_repo::git::history::merge_base;
use canonry_repo::git::integrate::{Integrated, MergeRequest, finish_interrupted, integrate, preview};
use canonry_repo::git::remote::{Pushed, RemoteError};
use canonry_repo::git::upstream::Upstream;
use canonry_repo::view::Basis;
use canonry_repo::view::load::bare_plan;
use canonry_runs::exec::ExecEvent;
use canonry_runs::plan::{StatusMerge, merge_statuses};
use gix::ObjectId;
use std::cell::RefCell;
use std::time::Duration;

/// Maximum number of pushes that the remote rejects although its branch is where it was: another push may hold its lock.
const REJECTIONS: usize = 5;
const PAUSE: Duration = Duration::from_secs(1);

/// The result of a step and its way to the upstream branch.
pub struct ResultPush<'a> {
    env: &'a Environment,
    plan: String,
    step: String,
    observer: &'a dyn Observer,
}

/// The state of the branch here after a merge of the upstream branch.
enum Received {
    /// It has the tip of the upstream branch, which is this.
    Tip(ObjectId),
    /// These files changed here and there, and are not committed here.
    Dirty(Vec<RepoPath>),
}

impl<'a> ResultPush<'a> {
    /// The push of a step's result; `plan` is the plan's id, or `None` for the only plan.
    ///
    /// # Errors
    /// The plan has errors, or there is no upstream branch.
    pub fn new(
        env: &'a Environment,
        plan: Option<&str>,
        step: &str,
        observer: &'a dyn Observer,
    ) -> Result<Self, Error> {
        let workspace = Workspace::open(env, &Basis::WorkTree)?;
        let plan = LoadedPlan::load(&workspace, plan)?.id;
        upstream(&workspace)?;
        Ok(Self { env, plan, step: step.to_owned(), observer })
    }

    /// Merges the upstream branch before the step is executed: another job may have executed it.
    ///
    /// # Errors
    /// The remote does not answer, or the branches conflict.
    pub fn prepare(&self) -> Result<(), Error> {
        // The plan is not committed while the step is in progress, after a run that was killed: this one continues it.
        self.receive().map(drop)
    }

    /// Pushes the commits that the upstream branch does not have.
    ///
    /// # Errors
    /// [`ErrorKind::Contention`] if the remote does not answer or does not accept the push, or if others decided about the step
    /// meanwhile; [`ErrorKind::Refused`] if the branches conflict, or a command fails together with the work of others.
    pub fn push(&self) -> Result<(), Error> {
        let workspace = Workspace::open(self.env, &Basis::WorkTree)?;
        let steps = LoadedPlan::load(&workspace, Some(&self.plan))?.document()?.steps.len();
        let upstream = upstream(&workspace)?;
        let name = upstream.name();
        let mut rejected: Option<(ObjectId, usize)> = None;
        // A lost race is the push of another step.
        for _ in 0..steps + REJECTIONS {
            let tip = match self.receive()? {
                Received::Tip(tip) => tip,
                Received::Dirty(paths) => {
                    let files: Vec<String> = paths.iter().map(RepoPath::to_display).collect();
                    let message = format!("{name} cannot be merged: {} changed here too", files.join(", "));
                    return Err(Error::new(ErrorKind::Refused, message).help("commit the changes, then run this again"));
                }
            };
            let head = head(&workspace)?;
            if head == tip {
                return Ok(());
            }
            let reason = match upstream.push(head).map_err(|error| unreachable(name, &error))? {
                Pushed::Accepted => {
                    self.notice(format!("{}: the result is on {name} as {}", self.step, head.to_hex_with_len(10)));
                    return Ok(());
                }
                Pushed::Rejected { reason } => reason,
            };
            let count = rejected.filter(|(at, _)| *at == tip).map_or(1, |(_, count)| count + 1);
            if count == REJECTIONS {
                return Err(Error::new(ErrorKind::Contention, format!("{name} does not accept the push: {reason}")));
            }
            if count > 1 {
                std::thread::sleep(PAUSE);
            }
            rejected = Some((tip, count));
        }
        Err(Error::new(ErrorKind::Contention, format!("others push to {name} all the time")).help("run this again"))
    }

    /// Merges the upstream branch into the branch that is checked out.
    fn receive(&self) -> Result<Received, Error> {
        let workspace = Workspace::open(self.env, &Basis::WorkTree)?;
        let repo = workspace.repo()?;
        // It moves the branch.
        finish_interrupted(repo)?;
        let upstream = upstream(&workspace)?;
        let name = upstream.name();
        let tip = upstream.fetch().map_err(|error| unreachable(name, &error))?.ok_or_else(|| {
            Error::new(ErrorKind::Refused, format!("{name} does not exist")).help("push the branch first")
        })?;
        let head = head(&workspace)?;
        if is_ancestor(repo, tip, head)? {
            return Ok(Received::Tip(tip));
        }
        let base = merge_base(repo, &head.to_string(), &tip.to_string())
            .map_err(|e| Error::new(ErrorKind::Internal, format!("cannot read git's history: {e}")))?;
        let path = LoadedPlan::load(&workspace, Some(&self.plan))?.plan.path;
        let merged = match base {
            Some(base) if base != head => self.merge_plan(&workspace, &path, [base, head, tip])?,
            _ => None,
        };
        let full = workspace.view.full(&path);
        let resolved = merged.as_ref().map(|merged| (&full, merged.text.as_bytes()));
        let message = format!("Merge {name} (plan {}, {})\n", self.plan, self.step);
        let request = MergeRequest { tip, message: &message, onto: Some(head), resolved };
        if let (Some(merged), Some(base)) = (&merged, base)
            && self.is_work(&workspace, base, tip)?
            && let Some(commit) = preview(repo, &request)?.merged
        {
            self.verify(&workspace, &path, merged, commit)?;
        }
        match integrate(repo, &request)? {
            Integrated::UpToDate | Integrated::Merged { .. } => {
                if merged.is_some_and(|merged| !merged.ours.is_empty()) {
                    self.notice(format!("{}: merged with the work of others on {name}", self.step));
                }
                Ok(Received::Tip(tip))
            }
            Integrated::Dirty { paths } => Ok(Received::Dirty(paths)),
            Integrated::Conflict { paths } => {
                let files: Vec<String> = paths.iter().map(RepoPath::to_display).collect();
                let message = format!("the result conflicts with {name} in {}", files.join(", "));
                let help = format!("merge {name} by hand, or run the job again in a new clone");
                Err(Error::new(ErrorKind::Refused, message).help(help))
            }
            Integrated::Moved => {
                let message = "another process moved the branch that is checked out";
                Err(Error::new(ErrorKind::Contention, message).help("run this again"))
            }
        }
    }

    /// The plan with the statuses of both sides; `None` if its lines are merged instead.
    fn merge_plan(
        &self,
        workspace: &Workspace,
        path: &RepoPath,
        [base, ours, theirs]: [ObjectId; 3],
    ) -> Result<Option<StatusMerge>, Error> {
        let read = |commit: ObjectId| -> Result<Plan, Error> {
            let view = workspace.open_view(&Basis::Commit(commit.to_string()))?;
            Ok(bare_plan(&view, path, &Schemas::default()))
        };
        let plans = [read(base)?, read(ours)?, read(theirs)?];
        let [Ok(base), Ok(ours), Ok(theirs)] = plans.each_ref().map(|plan| plan.document.as_ref()) else {
            return Ok(None);
        };
        merge_statuses(base, ours, theirs).map_err(|conflict| {
            let message = format!("others changed the plan meanwhile: {conflict}");
            Error::new(ErrorKind::Contention, message).help("the result stays in this clone, and is not pushed")
        })
    }

    /// Whether the upstream branch has changes besides plans, reports and approvals.
    fn is_work(&self, workspace: &Workspace, base: ObjectId, tip: ObjectId) -> Result<bool, Error> {
        let is_work = |path: &RepoPath| {
            let path = path.below(workspace.view.base()).map(RepoPath::new);
            !path.is_some_and(|path| is_control(workspace, &path))
        };
        Ok(changed_files(workspace.repo()?, base, tip)?.iter().any(|file| is_work(&file.path)))
    }

    /// Runs the commands of the steps that became complete here on the merged commit.
    fn verify(
        &self,
        workspace: &Workspace,
        path: &RepoPath,
        merged: &StatusMerge,
        commit: ObjectId,
    ) -> Result<(), Error> {
        let plan = Plan::parse(path.clone(), Blob::Bytes(merged.text.clone().into_bytes()), &Schemas::default());
        let steps = plan.document.as_ref().map_or(&[][..], |document| &document.steps);
        let setup = crate::owners::setup(workspace)?;
        let cancel = &workspace.env.cancel;
        let checks = Checks { setup: setup.as_deref(), timeout: COMMAND_TIMEOUT, cancel, tree: &RefCell::default() };
        let gates = Gates::new(workspace, &self.plan);
        let log = Records::new(workspace, &self.plan)?.log("verification", 0);
        let verifier = Verifier { workspace, gates: &gates, log, checks: &checks };
        for (id, _) in merged.ours.iter().filter(|(_, status)| *status == StepStatus::Complete) {
            let Some(step) = steps.iter().find(|step| step.id_text() == id) else { continue };
            if let Some(failure) = verifier.verify(step, commit)?.failure {
                let message = format!("`{id}` is not pushed: together with the work of others, {failure}");
                return Err(Error::new(ErrorKind::Refused, message).help("run the job again in a new clone"));
            }
        }
        Ok(())
    }

    fn notice(&self, text: String) {
        self.observer.event(&ExecEvent::Notice(text));
    }
}

fn head(workspace: &Workspace) -> Result<ObjectId, Error> {
    let head = workspace.repo()?.head_id();
    Ok(head.map_err(|_| Error::new(ErrorKind::Unreadable, "there is no commit to push"))?.detach())
}

fn upstream(workspace: &Workspace) -> Result<Upstream<'_>, Error> {
    Upstream::find(workspace.repo()?, &workspace.env.cancel)?.ok_or_else(|| {
        Error::new(ErrorKind::Refused, "the branch that is checked out has no upstream branch")
            .help("run `git branch --set-upstream-to=REMOTE/BRANCH`, then this again")
    })
}

fn unreachable(name: &str, error: &RemoteError) -> Error {
    if error.is_interrupted() {
        return Error::new(ErrorKind::Interrupted, "interrupted");
    }
    Error::new(ErrorKind::Contention, format!("the remote of {name} did not answer: {error}"))
        .help("check that `git fetch` works without a prompt, then run this again")
}
