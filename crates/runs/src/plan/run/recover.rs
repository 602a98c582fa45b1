//! Finishes what an earlier run left: its claims are free because its process is gone.

use super::{
    AttemptRecord, ClaimFor, Conclusion, Decision, PlanRun, PlanWorld, Taken, WorkError, WorkerEnd, step_named,
};
use crate::exec::{AttemptEnd, ExecEvent};
use canonry_model::canon::plan::StepStatus;

impl<W: PlanWorld> PlanRun<W> {
    /// Concludes the attempts that have a record and whose run is gone.
    ///
    /// # Errors
    /// The repository cannot be used, or the branch on which an attempt began is not checked out.
    pub fn recover(&mut self) -> Result<(), W::Error> {
        self.world.repair()?;
        for record in self.world.records()? {
            self.recover_attempt(&record)?;
        }
        self.settle_proposals()?;
        self.world.sweep()
    }

    /// Checks and completes the steps whose pull requests were merged.
    fn settle_proposals(&self) -> Result<(), W::Error> {
        let world = &self.world;
        let look = world.look()?;
        for step in world.steps(&look) {
            let is_asked = self.only.as_deref().is_none_or(|only| only == step.id_text());
            let is_open = matches!(step.status, StepStatus::Blocked | StepStatus::Pending);
            let proposed = world.history(&look, step).proposed.filter(|_| is_asked && is_open);
            let Some(attempt) = proposed else { continue };
            let Some((record, report)) = world.merged_proposal(&look, step, attempt)? else { continue };
            let Taken::Claim { claim, .. } = world.claim(&look, &record.step, ClaimFor::Earlier(&record))? else {
                continue;
            };
            // Another run may have completed it since the look.
            let now = world.look()?;
            let step = step_named(world.steps(&now), &record.step);
            if step.is_none_or(|step| world.history(&now, step).proposed != Some(attempt)) {
                world.release(claim, true)?;
                continue;
            }
            let record = AttemptRecord { claim: world.token(&claim), is_merged: true, ..record };
            world.save_report(&record, &report)?;
            world.save_record(&record)?;
            let end = self.conclude(&record, &claim, WorkerEnd::Merged(report))?;
            world.event(ExecEvent::Ended { step: record.step.clone(), attempt: record.attempt, end: end.clone() });
            self.clean_up(&record, claim, &end)?;
        }
        Ok(())
    }

    /// Concludes an attempt whose run is gone. `false` if its run is alive.
    pub(super) fn recover_attempt(&self, record: &AttemptRecord) -> Result<bool, W::Error> {
        let world = &self.world;
        let look = world.look()?;
        let claim = match world.claim(&look, &record.step, ClaimFor::Earlier(record))? {
            Taken::Claim { claim, .. } => claim,
            // Its run is alive, here or elsewhere.
            Taken::Held(_) => return Ok(false),
            Taken::Decided(reason) => {
                self.give_up(record, reason)?;
                return Ok(true);
            }
        };
        // Its run was alive at the look.
        let mut records = world.records()?.into_iter();
        let Some(record) = records.find(|now| now.step == record.step && now.attempt == record.attempt) else {
            // It has concluded it since.
            let conclusion = world.conclusion(&record.step, record.attempt)?;
            let is_complete = conclusion.is_some_and(|conclusion| conclusion.status() == StepStatus::Complete);
            let look = world.look()?;
            let step = step_named(world.steps(&look), &record.step);
            let is_blocked = step.is_some_and(|step| step.status == StepStatus::Blocked);
            world.release(claim, is_complete || is_blocked)?;
            return Ok(true);
        };
        if world.is_decided(&claim) {
            // Nobody holds such a claim: another run may do the same, and may decide anew after it.
            self.clean_up(&record, claim, &AttemptEnd::Interrupted)?;
            return Ok(true);
        }
        let record = &AttemptRecord { claim: world.token(&claim), ..record };
        world.save_record(record)?;
        world.end_orphan(record)?;
        let Some(end) = self.conclude_left(&look, record, &claim)? else {
            self.keep_work(&look, record)?;
            self.clean_up(record, claim, &AttemptEnd::Interrupted)?;
            return Ok(true);
        };
        let step = record.step.clone();
        let attempt = record.attempt;
        world.event(ExecEvent::Recovered { step: step.clone(), attempt });
        world.event(ExecEvent::Ended { step, attempt, end: end.clone() });
        self.clean_up(record, claim, &end)?;
        Ok(true)
    }

    /// Ends an attempt at a step about which others have decided. The step gets the status of the last commit, so that their
    /// decision can be pulled, and work that is not merged is kept.
    fn give_up(&self, record: &AttemptRecord, reason: String) -> Result<(), W::Error> {
        let world = &self.world;
        world.end_orphan(record)?;
        let look = world.look()?;
        self.keep_work(&look, record)?;
        self.yield_to_commit(&look, record)?;
        let AttemptRecord { step, attempt, .. } = record;
        world.event(ExecEvent::Notice(format!("{step}: attempt {attempt} is given up: {reason}")));
        world.remove_tree(record)?;
        world.close_record(&record.step, record.attempt)
    }

    /// Gives a step the status of the last commit. A report that was decided already is published.
    fn yield_to_commit(&self, look: &W::Look, record: &AttemptRecord) -> Result<(), W::Error> {
        let world = &self.world;
        let conclusion = world.conclusion(&record.step, record.attempt)?;
        let status = world.committed_status(look, &record.step)?;
        let mut lock = world.lock(look)?;
        if let Some(conclusion) = &conclusion {
            world.write_report(&mut lock, record, conclusion)?;
        }
        if step_named(world.steps(look), &record.step).is_some() {
            world.set_status(&mut lock, &record.step, status)?;
        }
        drop(lock);
        if conclusion.is_some() { world.publish(record, status) } else { Ok(()) }
    }

    /// Commits on its own branch what an attempt left that does not count: it can go once the branch has the same work.
    fn keep_work(&self, look: &W::Look, record: &AttemptRecord) -> Result<(), W::Error> {
        self.world.remove_draft(record)?;
        match &record.branch {
            Some(_) => match self.world.save_work(look, record) {
                Err(WorkError::Run(error)) => Err(error),
                Ok(()) | Err(WorkError::Attempt(_) | WorkError::Beyond(_)) => Ok(()),
            },
            None => Ok(()),
        }
    }

    /// Concludes an attempt whose step is still in progress; `None` if there is nothing to conclude.
    fn conclude_left(
        &self,
        look: &W::Look,
        record: &AttemptRecord,
        claim: &W::Claim,
    ) -> Result<Option<AttemptEnd>, W::Error> {
        let world = &self.world;
        let Some(step) = step_named(world.steps(look), &record.step) else { return Ok(None) };
        let conclusion = world.conclusion(&record.step, record.attempt)?;
        let is_published = conclusion.as_ref().is_some_and(|conclusion| conclusion.status == step.status.as_str());
        let is_complete = |conclusion: &Conclusion| conclusion.status() == StepStatus::Complete;
        let is_announced = record.is_announced && conclusion.as_ref().is_none_or(is_complete);
        // An editor may have saved the plan as it was before the attempt, and the branch may have its work.
        let is_open = matches!(step.status, StepStatus::InProgress | StepStatus::Pending)
            || record.is_merged && step.status == StepStatus::Blocked
            || is_announced;
        // A person has decided otherwise since.
        if (!is_open || record.abandoned && !is_announced) && !is_published {
            return Ok(None);
        }
        // Another attempt has completed the step or waits for its pull request, perhaps in another clone, or another clone has
        // completed this attempt.
        let decision = self.decision(look, step)?;
        let is_own = |decision: &Decision| {
            let is_known = conclusion.is_some() || matches!(decision, Decision::Proposed(_));
            decision.attempt() == record.attempt && is_known
        };
        if decision.is_some_and(|decision| !is_own(&decision)) {
            self.yield_to_commit(look, record)?;
            return Ok(None);
        }
        if let Some(conclusion) = conclusion {
            // It was decided, and the canon does not say so yet.
            let lock = world.lock(look)?;
            if !world.is_current(look, claim)? {
                return Ok(Some(AttemptEnd::Fenced));
            }
            self.publish(lock, record, &conclusion)?;
            return Ok(Some(conclusion.end()));
        }
        let saved = world.saved_report(record)?;
        let end = if record.is_merged {
            saved.map_or(WorkerEnd::Interrupted, WorkerEnd::Merged)
        } else if record.branch.is_some() && !world.has_tree(look, record)? {
            WorkerEnd::NoReport("the work tree of the attempt is gone".to_owned())
        } else {
            let report = if saved.is_some() { saved } else { world.draft(look, record)? };
            report.map_or(WorkerEnd::Interrupted, WorkerEnd::Report)
        };
        self.conclude(record, claim, end).map(Some)
    }
}
