//! The end of an attempt: its result becomes a report and a status. Every part can be repeated, because the run can be killed
//! anywhere; the report is written before the status, and both before the claim is released.

use super::super::{AttemptFacts, attempt_report};
use super::record::AttemptVerdict;
use super::{
    Accepted, AttemptRecord, Checked, Conclusion, Decision, PlanRun, PlanWorld, WorkError, WorkerEnd, step_named,
};
use crate::exec::AttemptEnd;
use canonry_model::canon::plan::StepStatus;
use canonry_model::canon::report::AttemptCause;
use serde_json::Value;

impl<W: PlanWorld> PlanRun<W> {
    /// Turns the end of an attempt into a report and a status.
    ///
    /// # Errors
    /// Files cannot be written, or the run is stopped; a later try continues from here.
    pub(super) fn conclude(
        &self,
        record: &AttemptRecord,
        claim: &W::Claim,
        end: WorkerEnd,
    ) -> Result<AttemptEnd, W::Error> {
        let world = &self.world;
        let look = world.look()?;
        let Some(step) = step_named(world.steps(&look), &record.step) else {
            return Ok(AttemptEnd::Blocked("the step is no longer in the plan".to_owned()));
        };
        let history = world.history(&look, step);
        let mut is_merged = false;
        let is_by_hand = matches!(end, WorkerEnd::ByHand(_));
        let (worker, mut verdict) = match end {
            WorkerEnd::Report(report) => {
                // A run that is killed from here on continues with this report.
                world.save_report(record, &report)?;
                let verdict = AttemptVerdict::of_report(&report);
                (Some(report), verdict)
            }
            WorkerEnd::NoReport(error) => (None, AttemptVerdict::failed(Some(AttemptCause::MissingReport), error)),
            WorkerEnd::Timeout(error) => (None, AttemptVerdict::failed(Some(AttemptCause::Timeout), error)),
            WorkerEnd::Limit { until, message } => {
                let until = history.next_try(world.now(), until);
                let postponed = AttemptVerdict::postponed(AttemptCause::UsageLimit, message);
                (None, AttemptVerdict { waiting_until: Some(until), ..postponed })
            }
            WorkerEnd::Replaced(message) => (None, AttemptVerdict::postponed(AttemptCause::UsageLimit, message)),
            WorkerEnd::Merged(report) => {
                is_merged = true;
                (Some(report), AttemptVerdict::complete(Vec::new()))
            }
            WorkerEnd::ByHand(report) => {
                let verdict = AttemptVerdict::of_report(&report);
                (Some(report), verdict)
            }
            WorkerEnd::Interrupted => {
                (None, AttemptVerdict::postponed(AttemptCause::Interrupted, "the run was stopped while the worker ran"))
            }
        };
        world.remove_draft(record)?;
        if record.branch.is_some() && !is_merged {
            // What a failed attempt leaves is kept on its branch.
            match world.save_work(&look, record) {
                Ok(()) => {}
                Err(WorkError::Run(error)) => return Err(error),
                Err(WorkError::Beyond(reason)) => {
                    verdict = AttemptVerdict::blocked(Some(AttemptCause::Unverified), reason);
                }
                Err(WorkError::Attempt(error)) if verdict.status == StepStatus::Complete => {
                    verdict = AttemptVerdict::unverified(error);
                }
                Err(WorkError::Attempt(_)) => {}
            }
        }
        let is_success = verdict.status == StepStatus::Complete;
        let lock = loop {
            let mut checked = None;
            if verdict.status == StepStatus::Complete {
                let candidate = if is_merged {
                    world.merged(&look).map_err(WorkError::Run)
                } else {
                    world.candidate(&look, record)
                };
                match candidate {
                    Ok(candidate) => {
                        verdict = match world.check(&look, record, &candidate)? {
                            Checked::Passed(results) => AttemptVerdict::complete(results),
                            Checked::Failed(commands, failure) => {
                                AttemptVerdict { commands, ..AttemptVerdict::unverified(failure) }
                            }
                            Checked::Refused(reason) => AttemptVerdict::blocked(Some(AttemptCause::Unverified), reason),
                        };
                        if verdict.status == StepStatus::Complete {
                            match world.propose(&look, record, &candidate, worker.as_ref(), &verdict.commands)? {
                                Some(proposal) => verdict = AttemptVerdict::proposed(proposal, verdict.commands),
                                None => checked = Some(candidate),
                            }
                        }
                    }
                    Err(WorkError::Attempt(error) | WorkError::Beyond(error)) => {
                        verdict = AttemptVerdict::unverified(error);
                    }
                    Err(WorkError::Run(error)) => return Err(error),
                }
            }
            if is_by_hand && is_success && checked.is_none() {
                return Ok(unfinished(verdict));
            }
            // Rivals are excluded by the lock from here on: the claim is checked under it.
            let lock = world.lock(&look)?;
            if !world.is_current(&look, claim)? || is_by_hand && !self.is_in_progress(&record.step)? {
                return Ok(AttemptEnd::Fenced);
            }
            world.require_branch(&look)?;
            let Some(candidate) = checked else { break lock };
            self.record_announcement(record, is_by_hand)?;
            world.announce(&look, claim, Some(&candidate))?;
            let commands = std::mem::take(&mut verdict.commands);
            let accepted = match world.accept(&look, record, &candidate)? {
                // What others merged since is checked too.
                Accepted::Moved => continue,
                Accepted::Complete { base, commit } => {
                    AttemptVerdict { base, commit, ..AttemptVerdict::complete(Vec::new()) }
                }
                Accepted::Conflict(error) => AttemptVerdict::blocked(Some(AttemptCause::Conflict), error),
                Accepted::Refused(error) => AttemptVerdict::unverified(error),
            };
            verdict = AttemptVerdict { commands, ..accepted };
            if is_by_hand && verdict.status != StepStatus::Complete {
                return Ok(unfinished(verdict));
            }
            break lock;
        };
        let counted = history.counted + u64::from(verdict.counts());
        let retries = world.retries(&record.owner);
        // A person who reports a failure decides about the next attempt.
        let is_bounded = verdict.counts() && !is_by_hand;
        if verdict.status == StepStatus::Pending && is_bounded && counted > u64::from(retries) {
            verdict.status = StepStatus::Blocked;
        }
        if verdict.status == StepStatus::Blocked {
            self.record_announcement(record, is_by_hand)?;
            world.announce(&look, claim, None)?;
        }
        let facts = AttemptFacts {
            step: &record.step,
            attempt: record.attempt,
            owner: &record.owner,
            timestamp: world.now(),
            outcome: verdict.outcome,
            cause: verdict.cause,
            error: verdict.error.clone(),
            waiting_until: verdict.waiting_until,
            commands: &verdict.commands,
            base: verdict.base.clone(),
            commit: verdict.commit.clone(),
        };
        let report = attempt_report(worker.as_ref(), &facts);
        let conclusion = Conclusion { report, status: verdict.status.as_str().to_owned() };
        world.save_conclusion(record, &conclusion)?;
        self.publish(lock, record, &conclusion)?;
        Ok(end_of(verdict))
    }

    /// Records that an attempt is about to decide its step. Work by hand has no record: its step stays in progress until somebody
    /// repeats the command.
    fn record_announcement(&self, record: &AttemptRecord, is_by_hand: bool) -> Result<(), W::Error> {
        if is_by_hand {
            return Ok(());
        }
        self.world.save_record(&AttemptRecord { is_announced: true, ..record.clone() })
    }

    /// Ends work that was done without a worker. Work that is not right changes nothing: the step stays in progress. Can be
    /// repeated after a kill, or after a commit that was refused.
    ///
    /// # Errors
    /// See [`PlanWorld`].
    pub fn finish(&self, record: &AttemptRecord, claim: W::Claim, report: Value) -> Result<AttemptEnd, W::Error> {
        let world = &self.world;
        let look = world.look()?;
        let step = step_named(world.steps(&look), &record.step);
        let decision = step.map_or(Ok(None), |step| self.decision(&look, step))?;
        let end = if decision == Some(Decision::Complete(record.attempt)) {
            let mut lock = world.lock(&look)?;
            world.set_status(&mut lock, &record.step, StepStatus::Complete)?;
            drop(lock);
            world.publish(record, StepStatus::Complete)?;
            let conclusion = world.conclusion(&record.step, record.attempt)?;
            conclusion.map_or(AttemptEnd::Complete { commands: 0, commit: None }, |conclusion| conclusion.end())
        } else {
            self.conclude(record, &claim, WorkerEnd::ByHand(report))?
        };
        self.clean_up(record, claim, &end)?;
        Ok(end)
    }

    fn is_in_progress(&self, step: &str) -> Result<bool, W::Error> {
        let look = self.world.look()?;
        let step = step_named(self.world.steps(&look), step);
        Ok(step.is_some_and(|step| step.status == StepStatus::InProgress))
    }

    /// Writes the report and the status of an attempt. Can be repeated.
    ///
    /// # Errors
    /// The files cannot be written.
    pub(super) fn publish(
        &self,
        mut lock: W::Lock,
        record: &AttemptRecord,
        conclusion: &Conclusion,
    ) -> Result<(), W::Error> {
        let status = conclusion.status();
        self.world.write_report(&mut lock, record, conclusion)?;
        self.world.set_status(&mut lock, &record.step, status)?;
        drop(lock);
        self.world.remove_draft(record)?;
        self.world.publish(record, status)
    }

    /// Removes what is no longer needed: the work tree if its work is merged, the claim, and the record. The record of an attempt
    /// that lost its claim stays: another run finishes it, or gives it up once others have decided.
    pub(super) fn clean_up(&self, record: &AttemptRecord, claim: W::Claim, end: &AttemptEnd) -> Result<(), W::Error> {
        if matches!(end, AttemptEnd::Fenced | AttemptEnd::Unfinished { .. }) {
            return Ok(());
        }
        self.world.remove_tree(record)?;
        self.world.release(claim, end.is_decided())?;
        self.world.close_record(&record.step, record.attempt)
    }
}

fn unfinished(verdict: AttemptVerdict) -> AttemptEnd {
    let reason = verdict.error.unwrap_or_default();
    AttemptEnd::Unfinished { reason, commands: verdict.commands.len() }
}

fn end_of(verdict: AttemptVerdict) -> AttemptEnd {
    let error = verdict.error.unwrap_or_default();
    match (verdict.status, verdict.cause) {
        (StepStatus::Complete, _) => AttemptEnd::Complete { commands: verdict.commands.len(), commit: verdict.commit },
        (_, Some(AttemptCause::Interrupted)) => AttemptEnd::Interrupted,
        (_, Some(AttemptCause::PullRequest)) => AttemptEnd::Proposed(error),
        (_, Some(AttemptCause::UsageLimit)) if verdict.waiting_until.is_none() => AttemptEnd::Replaced(error),
        (StepStatus::Blocked, _) => AttemptEnd::Blocked(error),
        _ => match verdict.waiting_until {
            Some(until) => AttemptEnd::WaitingUntil(until),
            None => AttemptEnd::Retry(error),
        },
    }
}
