//! Finishes what an earlier run left: its claims are free because its process is gone.

use super::PlanRun;
use super::conclude::WorkerEnd;
use super::event::{AttemptEnd, PlanRunEvent};
use super::records::{AttemptRecord, Conclusion};
use super::verdict::EndedAttempt;
use crate::plan::attempt_folder::attempt_folder;
use crate::plan::claims::{self, Holder};
use crate::plan::load::LoadedPlan;
use crate::plan::{StepStatus, edits};
use crate::workers::end_orphan;
use crate::{Error, ErrorKind, Workspace};
use canonry_repo::git::integrate::finish_interrupted;
use canonry_repo::git::worktrees::{self, AttemptName, AttemptTree};
use gix::ObjectId;
use serde_json::Value;

impl PlanRun<'_> {
    /// Concludes the attempts that have a record and whose run is gone.
    pub(super) fn recover(&mut self) -> Result<(), Error> {
        if let Ok(repo) = self.open()?.repo() {
            finish_interrupted(repo)?;
        }
        claims::forget_done(&self.open()?, &self.plan)?;
        for record in self.records.all()? {
            if record.onto != self.onto {
                let began = record.onto.as_deref().unwrap_or("a commit without a branch");
                let message = format!(
                    "attempt {} at `{}` began on {began}, which is not checked out",
                    record.attempt, record.step
                );
                return Err(
                    Error::new(ErrorKind::Refused, message).help(format!("run `git switch {began}`, then this again"))
                );
            }
            self.recover_attempt(&record)?;
        }
        Ok(())
    }

    fn recover_attempt(&self, record: &AttemptRecord) -> Result<(), Error> {
        let workspace = self.open()?;
        let holder = Holder { name: claims::run_holder(), pid: Some(std::process::id()) };
        let claim = match claims::take(&workspace, &self.plan, &record.step, record.attempt, &holder) {
            // Its run is alive, here or elsewhere.
            Err(error) if error.kind == ErrorKind::Contention => return Ok(()),
            claim => claim?,
        };
        if let Some(worker) = &record.worker {
            end_orphan(worker)?;
        }
        let tree = self.tree(&workspace, record)?;
        let mut is_complete = false;
        if let Some(end) = self.conclude_left(&workspace, record, &claim, tree.as_ref())? {
            is_complete = matches!(end, AttemptEnd::Complete { .. });
            let step = record.step.clone();
            let attempt = record.attempt;
            self.observer.event(&PlanRunEvent::Recovered { step: step.clone(), attempt });
            self.observer.event(&PlanRunEvent::Ended { step, attempt, end });
        }
        self.clean_up(record, claim, tree.as_ref(), is_complete)
    }

    /// Concludes an attempt whose step is still in progress; `None` if there is nothing to conclude.
    fn conclude_left(
        &self,
        workspace: &Workspace,
        record: &AttemptRecord,
        claim: &claims::ClaimHandle,
        tree: Option<&AttemptTree>,
    ) -> Result<Option<AttemptEnd>, Error> {
        let loaded = LoadedPlan::load(workspace, Some(&self.plan))?;
        let Some(step) = self.step(&loaded, &record.step)? else { return Ok(None) };
        let conclusion = self.records.conclusion(record)?;
        let is_published = conclusion.as_ref().is_some_and(|conclusion| conclusion.status == step.status.as_str());
        // An editor may have saved the plan as it was before the attempt.
        let is_open = matches!(step.status, StepStatus::InProgress | StepStatus::Pending);
        if (!is_open || record.abandoned) && !is_published {
            // A person has decided otherwise since.
            return Ok(None);
        }
        if let Some(conclusion) = conclusion {
            // It was decided, and the canon does not say so yet.
            let session = edits::begin_patiently(workspace)?;
            if !claim.is_current(workspace)? {
                return Ok(Some(AttemptEnd::Fenced));
            }
            self.publish(session, record, &conclusion)?;
            return Ok(Some(end_of_conclusion(&conclusion)));
        }
        let end = match self.records.report(&record.step, record.attempt)? {
            _ if record.branch.is_some() && tree.is_none() => {
                WorkerEnd::NoReport("the work tree of the attempt is gone".to_owned())
            }
            Some(report) => WorkerEnd::Report(report),
            None => match self.written_report(workspace, record)? {
                Some(Ok(report)) => WorkerEnd::Report(report),
                _ => WorkerEnd::Interrupted,
            },
        };
        let owner = self.owner(&record.owner);
        let ended = EndedAttempt { record, owner, claim, tree };
        self.conclude_attempt(&ended, end).map(Some)
    }

    /// The worktree of an attempt, if it has one.
    fn tree(&self, workspace: &Workspace, record: &AttemptRecord) -> Result<Option<AttemptTree>, Error> {
        let (Some(branch), Some(fork)) = (&record.branch, &record.fork) else { return Ok(None) };
        let fork = ObjectId::from_hex(fork.as_bytes())
            .map_err(|e| Error::new(ErrorKind::Internal, format!("the record of {branch} is damaged: {e}")))?;
        let repo = workspace.repo()?;
        let name = AttemptName { plan: self.plan.clone(), step: record.step.clone(), attempt: record.attempt };
        let Some(folder) = name.folder(&attempt_folder(self.env, repo)) else { return Ok(None) };
        Ok(worktrees::at(repo, &folder, branch, fork)?)
    }
}

fn end_of_conclusion(conclusion: &Conclusion) -> AttemptEnd {
    let text = |key: &str| conclusion.report.get(key).and_then(Value::as_str).map(str::to_owned);
    let error = text("error").unwrap_or_default();
    match StepStatus::from_word(&conclusion.status) {
        Some(StepStatus::Complete) => {
            let commands = conclusion.report.get("commands").and_then(Value::as_array).map_or(0, Vec::len);
            AttemptEnd::Complete { commands, commit: text("commit") }
        }
        Some(StepStatus::Pending) => AttemptEnd::Retry(error),
        _ => AttemptEnd::Blocked(error),
    }
}
