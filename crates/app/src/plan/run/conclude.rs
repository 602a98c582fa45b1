//! The end of an attempt: its result becomes a report and a status. Every part can be repeated, because the run can be
//! killed anywhere; the report is written before the status, and both before the claim is released.

use super::PlanRun;
use super::event::AttemptEnd;
use super::merge::{is_control, tip};
use super::records::{AttemptRecord, Conclusion};
use super::verdict::{AttemptVerdict, EndedAttempt};
use crate::plan::committed::CommittedCommands;
use crate::plan::gate::Gates;
use crate::plan::load::LoadedPlan;
use crate::plan::verification::{COMMAND_TIMEOUT, Verification, run_commands};
use crate::plan::{StepStatus, edits};
use crate::{Error, ErrorKind, RepoPath, Timestamp, Workspace};
use canonry_model::canon::plan::PlanStep;
use canonry_model::canon::report::{AttemptCause, AttemptOutcome};
use canonry_repo::apply::Session;
use canonry_repo::git::diff::changed_files;
use canonry_repo::git::worktrees::{self, AttemptTree};
use canonry_runs::plan::{AttemptFacts, AttemptHistory, StepFiles, attempt_report};
use serde_json::Value;
use std::io;

/// End of a worker.
#[derive(Debug)]
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
                let verdict = self.judge_report(&workspace, ended, step, &report)?;
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
        if let (Some(tree), true) = (ended.tree, verdict.status != StepStatus::Complete) {
            // What a failed attempt leaves is kept on its branch.
            self.save_work(&workspace, tree, record)?;
        }
        let session = loop {
            let merge = match ended.tree.filter(|_| verdict.status == StepStatus::Complete) {
                Some(tree) => self.verify_merged(&workspace, ended, tree, step, &mut verdict)?,
                None => None,
            };
            let counts = !matches!(verdict.cause, Some(AttemptCause::UsageLimit | AttemptCause::Interrupted));
            let counted = history.counted + u64::from(counts);
            let retries = ended.owner.map_or(0, |owner| owner.retries);
            if verdict.status == StepStatus::Pending && counts && counted > u64::from(retries) {
                verdict.status = StepStatus::Blocked;
            }
            // Rivals are excluded by the lock from here on: the claim is checked under it.
            let session = edits::begin_patiently(&workspace)?;
            if !ended.claim.is_current(&workspace)? {
                return Ok(AttemptEnd::Fenced);
            }
            // If others moved the branch since, what they merged is verified too.
            if match merge {
                Some(merge) => self.merge(&workspace, &merge, record, &mut verdict)?,
                None => true,
            } {
                break session;
            }
        };
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
            base: record.fork.clone().filter(|_| verdict.commit.is_some()),
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
        if record.branch.is_some() {
            self.commit_records(&workspace, &[path], &record.step, status);
        }
        self.learn(record);
        Ok(())
    }

    /// Checks a report of success: the commands, the files and the size of the change. The report of a failure is believed.
    fn judge_report(
        &self,
        workspace: &Workspace,
        ended: &EndedAttempt<'_>,
        step: &PlanStep,
        report: &Value,
    ) -> Result<AttemptVerdict, Error> {
        let record = ended.record;
        // A run that is killed from here on continues with this report.
        self.records.save_report(&record.step, record.attempt, report)?;
        let text = |key: &str| report.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let error = Some(text("error")).filter(|error| !error.trim().is_empty()).unwrap_or_else(|| text("details"));
        let is_disproved = report.get("passed").and_then(Value::as_bool) == Some(false);
        match text("outcome").as_str() {
            "success" if !is_disproved => {}
            "blocked" => {
                return Ok(AttemptVerdict { outcome: AttemptOutcome::Blocked, ..AttemptVerdict::blocked(None, error) });
            }
            _ => return Ok(AttemptVerdict::failed(None, error)),
        }
        if let Some(tree) = ended.tree {
            self.save_work(workspace, tree, record)?;
        }
        let loaded = LoadedPlan::load(workspace, Some(&self.plan))?;
        let gates = Gates::new(workspace, &self.plan);
        let committed = CommittedCommands::load(workspace, &loaded)?;
        if let Err(error) = committed.require(step).and_then(|()| gates.require(step)) {
            return Ok(AttemptVerdict::blocked(Some(AttemptCause::Unverified), error.message));
        }
        let timeout = ended.owner.and_then(|owner| owner.timeout).unwrap_or(COMMAND_TIMEOUT);
        let log = self.records.log(&record.step, record.attempt);
        let Verification { results, failure } =
            run_commands(&gates, step, &record.folder, &log, timeout, &self.env.cancel)?;
        let failure = match (failure, ended.tree) {
            (None, Some(tree)) => self.excess(workspace, &loaded, ended.record, tree, step)?,
            (failure, _) => failure,
        };
        Ok(match failure {
            Some(failure) => {
                AttemptVerdict { commands: results, ..AttemptVerdict::failed(Some(AttemptCause::Unverified), failure) }
            }
            None => AttemptVerdict {
                status: StepStatus::Complete,
                outcome: AttemptOutcome::Success,
                cause: None,
                error: None,
                waiting_until: None,
                commands: results,
                commit: None,
            },
        })
    }

    /// Commits what a worker left uncommitted, without its report and its memory log, which this clone writes.
    fn save_work(&self, workspace: &Workspace, tree: &AttemptTree, record: &AttemptRecord) -> Result<(), Error> {
        self.remove_draft(record)?;
        self.collect_log(workspace, tree);
        let message = format!("{}: attempt {} of plan {}\n", record.step, record.attempt, self.plan);
        worktrees::commit_all(workspace.repo()?, tree, &message, workspace.env.git_hooks)?;
        Ok(())
    }

    /// Removes the report that the worker wrote: it is in the records.
    fn remove_draft(&self, record: &AttemptRecord) -> Result<(), Error> {
        let draft = self.draft(record);
        match canonry_repo::fs::remove_file(&draft) {
            Err(e) if !matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Err(Error::new(ErrorKind::Internal, format!("{} cannot be removed: {e}", draft.display())))
            }
            _ => {
                // Another worker in this checkout writes its report to the same folder, which is empty until then.
                let is_other = |other: &AttemptRecord| other.folder == record.folder && other.step != record.step;
                if !self.records.all()?.iter().any(is_other) {
                    for folder in draft.ancestors().skip(1).take(2) {
                        // A folder that something else uses is not empty.
                        let _ = canonry_repo::fs::remove_dir(folder);
                    }
                }
                Ok(())
            }
        }
    }

    /// Why a change goes beyond its step. Plans, reports, approvals and owners belong to people and to canonry, even if the
    /// step names no files: once merged, the commands in a plan are committed and reach a shell.
    fn excess(
        &self,
        workspace: &Workspace,
        loaded: &LoadedPlan,
        record: &AttemptRecord,
        tree: &AttemptTree,
        step: &PlanStep,
    ) -> Result<Option<String>, Error> {
        let repo = workspace.repo()?;
        let files = changed_files(repo, tree.fork, tip(repo, tree)?)?;
        let own_report = self.report_path(workspace, loaded, record)?;
        let named = StepFiles::new(step);
        // Paths in a plan start at the folder of its canon.
        let base = workspace.view.base();
        let is_named = |path: &RepoPath| {
            let Some(path) = path.below(base).map(RepoPath::new) else { return step.files.is_empty() };
            path == own_report || named.contains(&path) || (step.files.is_empty() && !is_control(workspace, &path))
        };
        let outside: Vec<String> =
            files.iter().filter(|file| !is_named(&file.path)).map(|file| file.path.to_display()).collect();
        if !outside.is_empty() {
            let shown = outside.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
            let more = if outside.len() > 5 { format!(" and {} more", outside.len() - 5) } else { String::new() };
            return Ok(Some(format!("changed files that the step does not name: {shown}{more}")));
        }
        let lines: u64 = files.iter().map(|file| file.added + file.removed).sum();
        Ok(step
            .max_diff_lines
            .filter(|limit| lines > *limit)
            .map(|limit| format!("changed {lines} lines, and the step allows {limit}")))
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
