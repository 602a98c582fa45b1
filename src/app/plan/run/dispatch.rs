//! Starts attempts at ready steps, watches their workers, and collects what they leave.

use super::conclude::{EndedAttempt, WorkerEnd, read_report};
use super::event::{RunEvent, WorkerState};
use super::records::AttemptRecord;
use super::{GRACE, Run, RunEnd};
use crate::app::plan::attempt_folder::attempt_folder;
use crate::app::plan::claims::{self, ClaimHandle, Holder};
use crate::app::plan::gate::{Gate, Gates};
use crate::app::plan::load::LoadedPlan;
use crate::app::plan::{StepStatus, edits, prompts};
use crate::app::{Error, ErrorKind, Timestamp, Workspace};
use crate::canon::owners::{Isolation, Owner, PromptDelivery};
use crate::canon::plan::PlanStep;
use crate::exec::worker::{Worker, WorkerCommand, WorkerExit};
use crate::git::worktrees::{self, AttemptName, AttemptTree, Removal};
use crate::plan::approval::file_name;
use crate::plan::worker_output::interpret;
use crate::plan::{AttemptHistory, StepStates};
use crate::rules::violations::describe;
use crate::syntax::json;
use crate::syntax::printable::head;
use crate::view::{Basis, load};
use jiff::tz::TimeZone;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A worker at work.
pub(super) struct Active {
    record: AttemptRecord,
    owner: Owner,
    claim: ClaimHandle,
    tree: Option<AttemptTree>,
    worker: Worker,
    started: Instant,
    renewed: Instant,
}

impl Active {
    pub fn state(&self) -> WorkerState {
        WorkerState {
            step: self.record.step.clone(),
            attempt: self.record.attempt,
            owner: self.record.owner.clone(),
            elapsed: self.started.elapsed(),
            last_line: self.worker.last_line(),
        }
    }

    pub fn stop(&mut self) {
        // A group that cannot be ended now is ended by the next run.
        let _ = self.worker.stop(GRACE);
    }
}

/// What keeps the remaining steps from starting.
#[derive(Debug, Default)]
pub(super) struct Holdup {
    person: Vec<(String, String)>,
    elsewhere: Vec<String>,
    waiting: Option<Timestamp>,
    budget: bool,
    not_ready: Option<String>,
    open: usize,
}

/// The most bytes of a tool's error in a report.
const TOOL_ERROR: usize = 500;

/// Why a worker no longer runs.
pub(super) enum WorkerStop {
    Exit(WorkerExit),
    Timeout(Duration),
    /// The run was stopped.
    Stopped,
}

/// Whether an attempt was started.
enum Start {
    Started,
    /// Someone else works on the step.
    Held,
}

impl Run<'_> {
    /// Starts as many attempts as the plan and the budget allow.
    pub(super) fn dispatch(&mut self) -> Result<Holdup, Error> {
        let mut held: Vec<String> = Vec::new();
        loop {
            let workspace = self.open()?;
            let loaded = LoadedPlan::load_with_reports(&workspace, Some(&self.plan))?;
            let steps = &loaded.document()?.steps;
            let states = StepStates::new(steps);
            let gates = Gates::load(&workspace, &self.plan)?;
            let now = workspace.env.clock.now();
            let mut holdup = Holdup { elsewhere: held.clone(), ..Holdup::default() };
            let mut next = None;
            for (at, step) in steps.iter().enumerate() {
                let id = step.id_text();
                if self.only.as_deref().is_some_and(|only| only != id) || step.status == StepStatus::Complete {
                    continue;
                }
                holdup.open += 1;
                match step.status {
                    StepStatus::Pending if states.is_ready(at) => {}
                    StepStatus::Pending => {
                        holdup.not_ready = Some(id.to_owned());
                        continue;
                    }
                    StepStatus::Blocked => {
                        holdup.person.push((id.to_owned(), blocked_reason(&loaded, step)));
                        continue;
                    }
                    _ => {
                        if !self.active.iter().any(|active| active.record.step == id) {
                            holdup.elsewhere.push(id.to_owned());
                        }
                        continue;
                    }
                }
                if held.iter().any(|one| one == id) {
                    continue;
                }
                let role = step.owner.as_ref().map_or("", |owner| &owner.text);
                let retries = self.owner(role).map_or(0, |owner| owner.retries);
                let history = AttemptHistory::from_reports(loaded.plan.attempts_at(step));
                if let Some(until) = history.waiting_until.filter(|until| *until > now) {
                    holdup.waiting = Some(holdup.waiting.map_or(until, |earliest| earliest.min(until)));
                    continue;
                }
                if !history.may_try(retries) {
                    let reason = format!("{} attempts failed, and {role} has {retries} retries", history.counted);
                    holdup.person.push((id.to_owned(), reason));
                    continue;
                }
                match gates.gate(step)? {
                    Gate::Open | Gate::Approved => {}
                    Gate::NeedsApproval(reason) => {
                        holdup.person.push((id.to_owned(), format!("needs approval: {reason}")));
                        continue;
                    }
                    Gate::Forbidden(reason) => {
                        holdup.person.push((id.to_owned(), format!("forbidden: {reason}")));
                        continue;
                    }
                }
                if self.active.len() >= self.budget.workers {
                    break;
                }
                if self.attempts >= self.budget.attempts {
                    holdup.budget = true;
                    break;
                }
                next = Some((id.to_owned(), history.last));
                break;
            }
            let Some((id, last)) = next else { return Ok(holdup) };
            if matches!(self.start(&workspace, &loaded, &id, last)?, Start::Held) {
                held.push(id);
            }
        }
    }

    /// How the run ends, if nothing is running and nothing can start.
    pub(super) fn end(&self, holdup: Holdup) -> Option<RunEnd> {
        if holdup.open == 0 {
            return Some(RunEnd::Complete);
        }
        if holdup.budget {
            return Some(RunEnd::Budget(format!("{} attempts", self.budget.attempts)));
        }
        if let Some(until) = holdup.waiting {
            let now = self.env.clock.now();
            let left = self.time_left();
            let wait = Duration::try_from(until.to_jiff().duration_since(now.to_jiff())).unwrap_or_default();
            return (self.no_wait || wait > left).then_some(RunEnd::WaitingUntil(until));
        }
        if !holdup.person.is_empty() {
            return Some(RunEnd::NeedsPerson(holdup.person));
        }
        if !holdup.elsewhere.is_empty() {
            return Some(RunEnd::HeldElsewhere(holdup.elsewhere));
        }
        Some(RunEnd::NotReady(holdup.not_ready.unwrap_or_default()))
    }

    fn start(&mut self, workspace: &Workspace, loaded: &LoadedPlan, id: &str, last: u64) -> Result<Start, Error> {
        let Some(step) = self.step(loaded, id)? else { return Ok(Start::Held) };
        let role = step.owner.as_ref().map_or("", |owner| &owner.text).to_owned();
        let owner = crate::app::plan::owners::require(workspace, &self.owners, step)?.clone();
        let repo = workspace.repo()?;
        let branches = worktrees::list(repo, &self.plan)?;
        let branch = branches.iter().filter(|branch| branch.step == id).map(|branch| branch.attempt).max();
        let record = self.records.last(id).map(|record| record.attempt);
        let attempt = 1 + last.max(branch.unwrap_or(0)).max(record.unwrap_or(0));
        let holder = Holder { name: claims::run_holder(), pid: Some(std::process::id()) };
        let claim = match claims::take(workspace, &self.plan, id, attempt, &holder) {
            Err(error) if error.kind == ErrorKind::Contention => return Ok(Start::Held),
            claim => claim?,
        };
        let top = workspace.top()?;
        let mut record = AttemptRecord {
            step: id.to_owned(),
            attempt,
            owner: role,
            started: workspace.env.clock.now().to_string(),
            folder: top,
            branch: None,
            fork: None,
            worker: None,
        };
        self.records.save(&record)?;
        if !self.begin_step(id)? {
            self.records.close(id, attempt)?;
            claim.release(workspace)?;
            return Ok(Start::Held);
        }
        let tree = match owner.isolation {
            Isolation::Worktree => Some(self.fork(workspace, &mut record)?),
            Isolation::None => None,
        };
        let text = prompts::build(workspace, loaded, step, &record)?;
        let prompt = self.records.save_prompt(id, attempt, &text)?;
        let log = self.records.log(id, attempt);
        let env = self.environment(&record, &prompt)?;
        let mut argv = owner.argv.clone();
        argv.extend((owner.prompt == PromptDelivery::Argument).then(|| text.clone()));
        let stdin = if owner.prompt == PromptDelivery::Stdin { text.into_bytes() } else { Vec::new() };
        let command = WorkerCommand { argv: &argv, folder: &record.folder, env, stdin, log: &log };
        let worker = match Worker::start(command) {
            Ok(worker) => worker,
            Err(error) => {
                let ended = EndedAttempt { record: &record, owner: Some(&owner), claim: &claim, tree: tree.as_ref() };
                self.conclude(&ended, WorkerEnd::Interrupted)?;
                self.clean_up(&record, claim, tree.as_ref())?;
                let message = format!("the worker of `{}` cannot be started: {error}", record.owner);
                return Err(Error::new(ErrorKind::Unreadable, message).help("correct its `argv` in agent/owners.yaml"));
            }
        };
        record.worker = Some(worker.identity().to_string());
        self.records.save(&record)?;
        self.attempts += 1;
        let (step, owner_name) = (record.step.clone(), record.owner.clone());
        // Shorter, and right for people who run canonry at the top.
        let log = log.strip_prefix(workspace.top()?).map(Path::to_owned).unwrap_or(log);
        self.observer.event(&RunEvent::Started { step, attempt, owner: owner_name, log });
        let now = Instant::now();
        self.active.push(Active { record, owner, claim, tree, worker, started: now, renewed: now });
        Ok(Start::Started)
    }

    /// Sets a step to `in_progress` if it is still ready. The lock excludes other commands between the look and the edit.
    fn begin_step(&self, id: &str) -> Result<bool, Error> {
        let workspace = self.open()?;
        let mut session = edits::begin_patiently(&workspace)?;
        let loaded = LoadedPlan::load(&workspace, Some(&self.plan))?;
        let states = StepStates::new(&loaded.document()?.steps);
        let Some(at) = states.position(id).filter(|at| states.is_ready(*at)) else { return Ok(false) };
        let edit = edits::status_edit(&workspace, &loaded, at, StepStatus::InProgress)?;
        edits::write(&workspace, &mut session, edit)?;
        Ok(true)
    }

    /// Creates the worktree of an attempt, forked from the integration branch.
    fn fork(&self, workspace: &Workspace, record: &mut AttemptRecord) -> Result<AttemptTree, Error> {
        let repo = workspace.repo()?;
        let head = repo.head_id().map_err(|_| {
            Error::new(ErrorKind::Unreadable, "`isolation: worktree` needs a commit to fork from")
                .help("commit the plan, then run this again")
        })?;
        let folder = attempt_folder(self.env, repo);
        let name = AttemptName { plan: self.plan.clone(), step: record.step.clone(), attempt: record.attempt };
        let tree = worktrees::create(repo, &folder, &name, head.detach(), &self.env.cancel)?;
        record.folder = tree.folder.join(workspace.view.base().to_display());
        record.branch = Some(tree.branch.clone());
        record.fork = Some(tree.fork.to_string());
        self.records.save(record)?;
        Ok(tree)
    }

    /// The environment of a worker, with the folder of its report created.
    fn environment(&self, record: &AttemptRecord, prompt: &Path) -> Result<Vec<(OsString, OsString)>, Error> {
        let report = self.draft(record);
        if let Some(folder) = report.parent() {
            crate::fs::create_dir_all(folder)
                .map_err(|e| Error::new(ErrorKind::Internal, format!("{} cannot be created: {e}", folder.display())))?;
        }
        let env: [(&str, OsString); 5] = [
            ("CANONRY_PLAN", self.plan.clone().into()),
            ("CANONRY_STEP", record.step.clone().into()),
            ("CANONRY_ATTEMPT", record.attempt.to_string().into()),
            ("CANONRY_PROMPT", prompt.into()),
            ("CANONRY_REPORT", report.into()),
        ];
        Ok(env.into_iter().map(|(key, value)| (OsString::from(key), value)).collect())
    }

    /// Concludes the attempts whose workers have ended. Whether there were any.
    pub(super) fn reap(&mut self) -> Result<bool, Error> {
        let mut has_ended = false;
        let mut at = 0;
        while at < self.active.len() {
            match self.poll(at)? {
                None => at += 1,
                Some(stop) => {
                    let active = self.active.remove(at);
                    self.settle(active, stop)?;
                    has_ended = true;
                }
            }
        }
        Ok(has_ended)
    }

    /// Why a worker no longer runs; `None` if it does.
    fn poll(&mut self, at: usize) -> Result<Option<WorkerStop>, Error> {
        let env = self.env;
        let Some(active) = self.active.get_mut(at) else { return Ok(None) };
        let failed = |e: std::io::Error| Error::new(ErrorKind::Internal, format!("a worker cannot be watched: {e}"));
        if let Some(exit) = active.worker.poll().map_err(failed)? {
            return Ok(Some(WorkerStop::Exit(exit)));
        }
        if let Some(timeout) = active.owner.timeout.filter(|timeout| active.started.elapsed() > *timeout) {
            active.stop();
            return Ok(Some(WorkerStop::Timeout(timeout)));
        }
        if active.renewed.elapsed() > self.renewal {
            active.renewed = Instant::now();
            let workspace = Workspace::open(env, &Basis::WorkTree)?;
            if active.claim.renew(&workspace).is_err_and(|error| error.kind == ErrorKind::Contention) {
                // Another worker may be at work by now. What this one leaves is kept, and its result is discarded.
                active.stop();
                return Ok(Some(WorkerStop::Stopped));
            }
        }
        Ok(None)
    }

    /// Concludes the attempt of a worker that no longer runs.
    pub(super) fn settle(&self, active: Active, stop: WorkerStop) -> Result<(), Error> {
        let Active { record, owner, claim, tree, worker, .. } = active;
        let end = self.collect(&record, worker, stop)?;
        let ended = EndedAttempt { record: &record, owner: Some(&owner), claim: &claim, tree: tree.as_ref() };
        let end = self.conclude(&ended, end)?;
        let (step, attempt) = (record.step.clone(), record.attempt);
        self.observer.event(&RunEvent::Ended { step, attempt, end });
        self.clean_up(&record, claim, tree.as_ref())
    }

    /// What a worker left: a report in its file, or in its output.
    fn collect(&self, record: &AttemptRecord, worker: Worker, stop: WorkerStop) -> Result<WorkerEnd, Error> {
        let workspace = self.open()?;
        let last_line = worker.last_line();
        let output = worker.finish();
        let written = self.written_report(&workspace, record)?;
        let exit = match (&stop, &written) {
            // It may have finished in the moment in which it was stopped.
            (_, Some(Ok(report))) => return Ok(WorkerEnd::Report(report.clone())),
            (WorkerStop::Stopped, _) => return Ok(WorkerEnd::Interrupted),
            (WorkerStop::Timeout(_), _) => None,
            (WorkerStop::Exit(exit), _) => Some(*exit),
        };
        let zone = |name: Option<&str>| match name {
            Some(name) => TimeZone::get(name).ok(),
            None => Some(TimeZone::system()),
        };
        let status = exit.and_then(|exit| exit.status);
        let result = interpret(&output.stdout, &output.stderr, status, workspace.env.clock.now(), &zone);
        // Some tools wait for the end of a limit until they are stopped.
        if let Some(limit) = result.limit {
            return Ok(WorkerEnd::Limit { until: limit.until, message: result.text });
        }
        if let WorkerStop::Timeout(timeout) = stop {
            let message = format!("the worker did not end within {} s", timeout.as_secs());
            return Ok(WorkerEnd::Timeout(message));
        }
        let in_output = result.report.map(|text| self.validate(&workspace, record, text.as_bytes()));
        let problem = match (written, in_output) {
            (_, Some(Ok(report))) => return Ok(WorkerEnd::Report(report)),
            (Some(Err(problem)), _) | (None, Some(Err(problem))) => problem,
            _ => "the worker left no report".to_owned(),
        };
        let error = result.error.as_deref().and_then(|error| error.lines().find(|line| !line.trim().is_empty()));
        let last = match error {
            Some(error) => format!("; the error of its tool: {}", head(error.trim(), TOOL_ERROR)),
            None if last_line.is_empty() => String::new(),
            None => format!("; its last output: {last_line}"),
        };
        let code = exit.map_or(0, WorkerExit::code);
        Ok(WorkerEnd::NoReport(format!("{problem}; it exited {code}{last}")))
    }

    /// The report in a worker's report file, or what is wrong with it; `None` without a file.
    pub(super) fn written_report(
        &self,
        workspace: &Workspace,
        record: &AttemptRecord,
    ) -> Result<Option<Result<Value, String>>, Error> {
        let loaded = LoadedPlan::load(workspace, Some(&self.plan))?;
        let final_path = record.folder.join(self.report_path(workspace, &loaded, record)?.to_display());
        // Workers that follow the skills of the canon write to the final path.
        let bytes = read_report(&self.draft(record)).or_else(|| read_report(&final_path));
        Ok(bytes.map(|bytes| self.validate(workspace, record, &bytes)))
    }

    fn validate(&self, workspace: &Workspace, record: &AttemptRecord, bytes: &[u8]) -> Result<Value, String> {
        let text = String::from_utf8_lossy(bytes);
        let document = json::parse(&text, 0).map_err(|e| format!("its report is not JSON: {}", e.message))?;
        let value: Value = serde_json::from_str(&text).map_err(|e| format!("its report is not JSON: {e}"))?;
        let schemas = load::schemas(&workspace.view, &workspace.layout).map_err(|e| e.to_string())?;
        let violations = schemas.validate(crate::canon::schema::SchemaKind::Report, &document.root);
        if let Some(first) = violations.first() {
            return Err(format!("its report is invalid: {}", describe(first)));
        }
        match value.get("step_id").and_then(Value::as_str) {
            Some(id) if id == record.step => Ok(value),
            other => Err(format!("its report is on step `{}`", other.unwrap_or_default())),
        }
    }

    /// Where the worker of an attempt writes its report: inside the folder that it works in, because many tools write
    /// nowhere else.
    pub(super) fn draft(&self, record: &AttemptRecord) -> PathBuf {
        let (plan, step) = (file_name(&self.plan), file_name(&record.step));
        record.folder.join(self.runs.to_display()).join(plan).join(format!("{step}.{}.json", record.attempt))
    }

    /// Removes what is no longer needed: the worktree if its work is merged, the claim, and the record.
    pub(super) fn clean_up(
        &self,
        record: &AttemptRecord,
        claim: ClaimHandle,
        tree: Option<&AttemptTree>,
    ) -> Result<(), Error> {
        let workspace = self.open()?;
        if let Some(tree) = tree {
            let repo = workspace.repo()?;
            let head = repo.head_id().map_err(|e| Error::new(ErrorKind::Internal, e.to_string()))?.detach();
            if let Removal::Kept(reason) = worktrees::remove_if_merged(repo, tree, head)? {
                self.observer.event(&RunEvent::Kept {
                    branch: tree.branch.clone(),
                    folder: tree.folder.clone(),
                    reason: reason.to_string(),
                });
            }
        }
        match claim.release(&workspace) {
            // Someone else has taken it over.
            Err(error) if error.kind != ErrorKind::Contention => return Err(error),
            _ => {}
        }
        self.records.close(&record.step, record.attempt)
    }
}

fn blocked_reason(loaded: &LoadedPlan, step: &PlanStep) -> String {
    let last = loaded.plan.last_report(step).map(|(_, result)| {
        result.error.clone().filter(|error| !error.trim().is_empty()).unwrap_or_else(|| result.details.clone())
    });
    match last.filter(|reason| !reason.trim().is_empty()) {
        Some(reason) => format!("blocked: {}", reason.lines().next().unwrap_or_default()),
        None => "blocked".to_owned(),
    }
}
