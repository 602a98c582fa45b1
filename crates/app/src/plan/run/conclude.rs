//! The end of an attempt: its result becomes a report and a status. Every part can be repeated, because the run can be
//! killed anywhere; the report is written before the status, and both before the claim is released.

use super::PlanRun;
use super::event::AttemptEnd;
use super::records::{AttemptRecord, Conclusion};
use super::verdict::{AttemptVerdict, EndedAttempt};
use crate::plan::load::LoadedPlan;
use crate::plan::verification::{COMMAND_TIMEOUT, Checks, Verification};
use crate::plan::work::{Accepted, Candidate, StepWork, WorkError};
use crate::plan::{StepStatus, edits};
use crate::workers::{remove_empty_folders, remove_report};
use crate::{Error, ErrorKind, Timestamp, Workspace};
use canonry_model::canon::report::{AttemptCause, AttemptOutcome};
use canonry_repo::apply::Session;
use canonry_repo::git::worktrees::{self, AttemptTree};
use canonry_runs::plan::{AttemptFacts, AttemptHistory, attempt_report};
use gix::ObjectId;
use serde_json::Value;

/// End of a worker.
#[derive(Clone, Debug)]
pub(super) enum WorkerEnd {
    /// With a valid report.
    Report(Value),
    /// Without a valid report, for this reason.
    NoReport(String),
    /// It was stopped because it took too long.
    Timeout(String),
    /// Its tool accepts no work until then.
    Limit { until: Option<Timestamp>, message: String },
    /// The run was stopped.
    Interrupted,
}

impl PlanRun<'_> {
    /// Turns the end of an attempt into a report and a status.
    ///
    /// # Errors
    /// Files cannot be written, or the job is cancelled; a later run then continues from here.
    pub(super) fn conclude_attempt(&self, ended: &EndedAttempt<'_>, end: WorkerEnd) -> Result<AttemptEnd, Error> {
        let workspace = self.open()?;
        let loaded = LoadedPlan::load_with_reports(&workspace, Some(&self.plan))?;
        let record = ended.record;
        let Some(step) = self.step(&loaded, &record.step)? else {
            return Ok(AttemptEnd::Blocked("the step is no longer in the plan".to_owned()));
        };
        let history = AttemptHistory::from_reports(loaded.plan.attempts_at(step));
        let (worker, mut verdict) = match end {
            WorkerEnd::Report(report) => {
                let verdict = self.read_report(record, &report)?;
                (Some(report), verdict)
            }
            WorkerEnd::NoReport(error) => (None, AttemptVerdict::failed(Some(AttemptCause::MissingReport), error)),
            WorkerEnd::Timeout(error) => (None, AttemptVerdict::failed(Some(AttemptCause::Timeout), error)),
            WorkerEnd::Limit { until, message } => {
                let until = history.next_try(workspace.env.clock.now(), until);
                let postponed = AttemptVerdict::postponed(AttemptCause::UsageLimit, message);
                (None, AttemptVerdict { waiting_until: Some(until), ..postponed })
            }
            WorkerEnd::Interrupted => {
                (None, AttemptVerdict::postponed(AttemptCause::Interrupted, "the run was stopped while the worker ran"))
            }
        };
        self.remove_draft(record)?;
        if let Some(tree) = ended.tree {
            // What a failed attempt leaves is kept on its branch.
            match self.save_work(&workspace, tree, record) {
                Ok(()) => {}
                Err(WorkError::Run(error)) => return Err(error),
                Err(WorkError::Attempt(error)) if verdict.status == StepStatus::Complete => {
                    verdict = AttemptVerdict::failed(Some(AttemptCause::Unverified), error);
                }
                Err(WorkError::Attempt(_)) => {}
            }
        }
        let work = StepWork {
            workspace: &workspace,
            loaded: &loaded,
            records: &self.records,
            step,
            attempt: record.attempt,
            folder: &record.folder,
        };
        let session = loop {
            let mut candidate = None;
            if verdict.status == StepStatus::Complete {
                let found = match ended.tree {
                    Some(tree) => work.branch(tree),
                    None => work.files(),
                };
                match found {
                    Ok(found) => {
                        verdict = self.verify(&work, ended, &found)?;
                        candidate = Some(found).filter(|_| verdict.status == StepStatus::Complete);
                    }
                    Err(WorkError::Attempt(error)) => {
                        verdict = AttemptVerdict::failed(Some(AttemptCause::Unverified), error);
                    }
                    Err(WorkError::Run(error)) => return Err(error),
                }
            }
            // Rivals are excluded by the lock from here on: the claim is checked under it.
            let session = edits::begin_patiently(&workspace)?;
            if !ended.claim.is_current(&workspace)? {
                return Ok(AttemptEnd::Fenced);
            }
            self.require_branch(&workspace)?;
            let Some(candidate) = candidate else { break session };
            // If others moved the branch since, what they merged is verified too.
            let commands = std::mem::take(&mut verdict.commands);
            let hex = |id: Option<ObjectId>| id.map(|id| id.to_string());
            let accepted = match work.accept(&candidate)? {
                Accepted::Moved => continue,
                Accepted::Complete { base, commit } => {
                    AttemptVerdict { base: hex(base), commit: hex(commit), ..AttemptVerdict::complete(Vec::new()) }
                }
                Accepted::Conflict(error) => AttemptVerdict::blocked(Some(AttemptCause::Conflict), error),
                Accepted::Refused(error) => AttemptVerdict::failed(Some(AttemptCause::Unverified), error),
            };
            verdict = AttemptVerdict { commands, ..accepted };
            break session;
        };
        let counts = !matches!(verdict.cause, Some(AttemptCause::UsageLimit | AttemptCause::Interrupted));
        let counted = history.counted + u64::from(counts);
        let retries = ended.owner.map_or(0, |owner| owner.retries);
        if verdict.status == StepStatus::Pending && counts && counted > u64::from(retries) {
            verdict.status = StepStatus::Blocked;
        }
        let facts = AttemptFacts {
            step: &record.step,
            attempt: record.attempt,
            owner: &record.owner,
            timestamp: workspace.env.clock.now(),
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
        self.records.save_conclusion(record, &conclusion)?;
        self.publish(session, record, &conclusion)?;
        Ok(end_of(verdict))
    }

    /// Writes the report and the status of an attempt. Can be repeated.
    ///
    /// # Errors
    /// The files cannot be written.
    pub(super) fn publish(
        &self,
        mut session: Session,
        record: &AttemptRecord,
        conclusion: &Conclusion,
    ) -> Result<(), Error> {
        let workspace = self.open()?;
        let loaded = LoadedPlan::load(&workspace, Some(&self.plan))?;
        let status = StepStatus::from_word(&conclusion.status).unwrap_or(StepStatus::Blocked);
        let path = self.report_path(&workspace, &loaded, record)?;
        edits::write(&workspace, &mut session, edits::json_edit(&workspace, path.clone(), &conclusion.report)?)?;
        self.set_status(&workspace, &mut session, &record.step, status)?;
        drop(session);
        self.remove_draft(record)?;
        self.commit_records(&workspace, &[path], &record.step, status);
        if status == StepStatus::Complete {
            self.records.forget_seen(&record.step)?;
        }
        self.learn(record);
        Ok(())
    }

    /// Commits what a worker left in its own work tree, without its memory log, which this clone writes.
    fn save_work(&self, workspace: &Workspace, tree: &AttemptTree, record: &AttemptRecord) -> Result<(), WorkError> {
        self.collect_log(workspace, tree);
        let message = format!("{}: attempt {} of plan {}\n", record.step, record.attempt, self.plan);
        let Err(error) = worktrees::commit_all(workspace.repo()?, tree, &message, workspace.env.git_hooks) else {
            return Ok(());
        };
        let error = Error::from(error);
        Err(match error.kind {
            // Only the worker uses this work tree.
            ErrorKind::Refused | ErrorKind::Contention => {
                WorkError::Attempt(format!("its work cannot be committed: {error}"))
            }
            _ => WorkError::Run(error),
        })
    }

    /// Runs the commands of the step on a candidate.
    fn verify(
        &self,
        work: &StepWork<'_>,
        ended: &EndedAttempt<'_>,
        candidate: &Candidate,
    ) -> Result<AttemptVerdict, Error> {
        let checks = Checks {
            setup: self.owners.setup.as_deref(),
            timeout: ended.owner.and_then(|owner| owner.timeout).unwrap_or(COMMAND_TIMEOUT),
            cancel: &self.env.cancel,
        };
        let unverified = Some(AttemptCause::Unverified);
        Ok(match work.verify(candidate, &checks) {
            Ok(Verification { results, failure: None }) => AttemptVerdict::complete(results),
            Ok(Verification { results, failure: Some(failure) }) => {
                AttemptVerdict { commands: results, ..AttemptVerdict::failed(unverified, failure) }
            }
            // A person changed the plan meanwhile.
            Err(error) if error.kind == ErrorKind::Refused => AttemptVerdict::blocked(unverified, error.message),
            Err(error) => return Err(error),
        })
    }

    /// The verdict of the worker itself. A report of success is not believed, that of a failure is.
    fn read_report(&self, record: &AttemptRecord, report: &Value) -> Result<AttemptVerdict, Error> {
        // A run that is killed from here on continues with this report.
        self.records.save_report(&record.step, record.attempt, report)?;
        let text = |key: &str| report.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let error = Some(text("error")).filter(|error| !error.trim().is_empty()).unwrap_or_else(|| text("details"));
        let is_disproved = report.get("passed").and_then(Value::as_bool) == Some(false);
        Ok(match text("outcome").as_str() {
            "success" if !is_disproved => AttemptVerdict::complete(Vec::new()),
            "blocked" => AttemptVerdict { outcome: AttemptOutcome::Blocked, ..AttemptVerdict::blocked(None, error) },
            _ => AttemptVerdict::failed(None, error),
        })
    }

    /// Removes the report that the worker wrote: it is in the records.
    fn remove_draft(&self, record: &AttemptRecord) -> Result<(), Error> {
        let draft = self.draft(record);
        remove_report(&draft)?;
        // Another worker in this checkout writes its report to the same folder, which is empty until then.
        let is_other = |other: &AttemptRecord| other.folder == record.folder && other.step != record.step;
        if !self.records.all()?.iter().any(is_other) {
            remove_empty_folders(&draft);
        }
        Ok(())
    }
}

fn end_of(verdict: AttemptVerdict) -> AttemptEnd {
    let error = verdict.error.unwrap_or_default();
    match (verdict.status, verdict.cause) {
        (StepStatus::Complete, _) => AttemptEnd::Complete { commands: verdict.commands.len(), commit: verdict.commit },
        (_, Some(AttemptCause::Interrupted)) => AttemptEnd::Interrupted,
        (StepStatus::Blocked, _) => AttemptEnd::Blocked(error),
        _ => match verdict.waiting_until {
            Some(until) => AttemptEnd::WaitingUntil(until),
            None => AttemptEnd::Retry(error),
        },
    }
}
