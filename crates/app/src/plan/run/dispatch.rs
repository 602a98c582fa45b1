//! Starts attempts at ready steps, watches their workers, and collects what they leave.

use super::conclude::WorkerEnd;
use super::event::{AttemptEnd, PlanRunEvent};
use super::records::AttemptRecord;
use super::verdict::EndedAttempt;
use super::{PlanRun, PlanRunEnd, Waiting};
use crate::plan::attempt_folder::attempt_folder;
use crate::plan::claims::{self, ClaimHandle, Holder};
use crate::plan::gate::Gates;
use crate::plan::load::LoadedPlan;
use crate::plan::{StepStatus, edits, prompts, status, work};
use crate::workers::{RunningWorker, WorkerLaunch, WorkerPool, WorkerResult, WorkerStop, read_report};
use crate::{Error, ErrorKind, Timestamp, Workspace};
use canonry_lint::violations::describe;
use canonry_model::canon::approval::file_name;
use canonry_model::canon::owners::{Isolation, Owner};
use canonry_model::canon::plan::PlanStep;
use canonry_repo::git::worktrees::{self, AttemptName, AttemptTree, Removal};
use canonry_repo::view::{Basis, load};
use canonry_runs::plan::{AttemptHistory, StepStates};
use canonry_text::json;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// An attempt whose worker is at work.
pub(in crate::plan) struct ActiveAttempt {
    record: AttemptRecord,
    claim: ClaimHandle,
    tree: Option<AttemptTree>,
    renewed: Instant,
}

/// Reasons why the remaining steps cannot start.
#[derive(Debug, Default)]
pub(super) struct Holdup {
    person: Vec<(String, String)>,
    elsewhere: Vec<(String, String)>,
    waiting: Option<Timestamp>,
    budget: bool,
    not_ready: Option<String>,
    open: usize,
}

/// Whether an attempt was started.
enum Start {
    Started,
    /// Someone else works on the step, or has done it, as this says.
    Held(String),
}

impl PlanRun<'_> {
    /// Starts as many attempts as the plan and the budget allow.
    pub(super) fn start_ready(&mut self, workers: &mut WorkerPool<ActiveAttempt>) -> Result<Holdup, Error> {
        let mut held: Vec<(String, String)> = Vec::new();
        loop {
            let workspace = self.open()?;
            self.require_branch(&workspace)?;
            let loaded = LoadedPlan::load_with_reports(&workspace, Some(&self.plan))?;
            let mut steps = Cow::Borrowed(loaded.document()?.steps.as_slice());
            let waiting = self.waiting.iter().map(|waiting| &waiting.attempt);
            let own: HashSet<&str> =
                workers.work().chain(waiting).map(|attempt| attempt.record.step.as_str()).collect();
            // An editor may have saved the plan as it was before.
            let is_reset = |step: &PlanStep| own.contains(step.id_text()) && step.status != StepStatus::InProgress;
            if steps.iter().any(is_reset) {
                let reset = steps.to_mut().iter_mut().filter(|step| is_reset(step));
                reset.for_each(|step| step.status = StepStatus::InProgress);
            }
            let states = StepStates::new(&steps);
            let gates = Gates::new(&workspace, &self.plan);
            let now = workspace.env.clock.now();
            let mut holdup = Holdup { elsewhere: held.clone(), ..Holdup::default() };
            let is_stopped = self.fail_fast && steps.iter().any(|step| step.status == StepStatus::Blocked);
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
                        holdup.person.push((id.to_owned(), status::blocked_reason(&loaded, step)));
                        continue;
                    }
                    _ => {
                        if !own.contains(id) {
                            let free = format!("`canonry plan set {} {id} pending`", self.plan);
                            let reason =
                                format!("in progress outside this run; if nobody works on it, {free} frees it");
                            holdup.elsewhere.push((id.to_owned(), reason));
                        }
                        continue;
                    }
                }
                if is_stopped || held.iter().any(|(one, _)| one == id) {
                    continue;
                }
                if let Some(reason) = self.unstartable.get(id) {
                    holdup.person.push((id.to_owned(), reason.clone()));
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
                if let Some(reason) = gates.gate(step)?.obstacle() {
                    holdup.person.push((id.to_owned(), reason));
                    continue;
                }
                if !self.clock.has_room(workers.len()) {
                    break;
                }
                if !self.clock.has_attempts() {
                    holdup.budget = true;
                    break;
                }
                next = Some((id.to_owned(), history.last));
                break;
            }
            let Some((id, last)) = next else { return Ok(holdup) };
            match self.start(&workspace, &loaded, &id, last, workers) {
                Ok(Start::Started) => {}
                Ok(Start::Held(reason)) => held.push((id, reason)),
                Err(error) if error.kind == ErrorKind::Interrupted => return Err(error),
                Err(error) => {
                    self.unstartable.insert(id, error.to_string());
                }
            }
        }
    }

    /// End of the run, if nothing is running and nothing can start.
    pub(super) fn end(&self, holdup: Holdup) -> Option<PlanRunEnd> {
        if holdup.open == 0 {
            return Some(PlanRunEnd::Complete);
        }
        if holdup.budget {
            return Some(PlanRunEnd::Budget(self.clock.attempts_limit()));
        }
        if let Some(until) = holdup.waiting {
            let may_wait = self.clock.may_wait(self.env.clock.now(), until);
            return (!may_wait).then_some(PlanRunEnd::WaitingUntil(until));
        }
        if !holdup.person.is_empty() {
            return Some(PlanRunEnd::NeedsPerson(holdup.person));
        }
        if !holdup.elsewhere.is_empty() {
            return Some(PlanRunEnd::HeldElsewhere(holdup.elsewhere));
        }
        Some(PlanRunEnd::NotReady(holdup.not_ready.unwrap_or_default()))
    }

    fn start(
        &mut self,
        workspace: &Workspace,
        loaded: &LoadedPlan,
        id: &str,
        last: u64,
        workers: &mut WorkerPool<ActiveAttempt>,
    ) -> Result<Start, Error> {
        let Some(step) = self.step(loaded, id)? else { return Ok(Start::Held("no longer in the plan".to_owned())) };
        let role = step.owner.as_ref().map_or("", |owner| &owner.text).to_owned();
        let owner = crate::plan::owners::require(workspace, &self.owners, step)?.clone();
        let repo = workspace.repo()?;
        let branches = worktrees::list(repo, &self.plan)?;
        let branch = branches.iter().filter(|branch| branch.step == id).map(|branch| branch.attempt).max();
        let record = self.records.last(id)?.map(|record| record.attempt);
        let attempt = 1 + last.max(branch.unwrap_or(0)).max(record.unwrap_or(0));
        let holder = Holder { name: claims::run_holder(), pid: Some(std::process::id()) };
        let claim = match claims::take(workspace, &self.plan, id, attempt, &holder) {
            Err(error) if error.kind == ErrorKind::Contention => return Ok(Start::Held(error.message)),
            claim => claim?,
        };
        let mut record = AttemptRecord {
            step: id.to_owned(),
            attempt,
            owner: role,
            started: workspace.env.clock.now().to_string(),
            onto: self.onto.clone(),
            folder: workspace.top()?,
            branch: None,
            fork: None,
            worker: None,
            abandoned: false,
        };
        self.records.save(&record)?;
        if !self.begin_step(id)? {
            self.records.close(id, attempt)?;
            claim.release(workspace)?;
            return Ok(Start::Held("no longer ready".to_owned()));
        }
        let mut tree = None;
        let worker = match self.launch(workspace, loaded, step, &owner, &mut record, &mut tree) {
            Ok(worker) => worker,
            Err(error) => {
                let attempt = ActiveAttempt { record, claim, tree, renewed: Instant::now() };
                let waiting = self.settle(attempt, None)?;
                self.waiting.extend(waiting);
                return Err(error);
            }
        };
        self.clock.count_attempt();
        let step = record.step.clone();
        let owner = record.owner.clone();
        let log = self.records.log(id, attempt);
        // Shorter, and right for people who run canonry at the top.
        let log = log.strip_prefix(workspace.top()?).map(Path::to_owned).unwrap_or(log);
        self.observer.event(&PlanRunEvent::Started { step, attempt, owner, log });
        workers.add(ActiveAttempt { record, claim, tree, renewed: Instant::now() }, worker);
        Ok(Start::Started)
    }

    /// Prepares the work tree of an attempt and starts its worker. `tree` is set as soon as it exists.
    fn launch(
        &self,
        workspace: &Workspace,
        loaded: &LoadedPlan,
        step: &PlanStep,
        owner: &Owner,
        record: &mut AttemptRecord,
        tree: &mut Option<AttemptTree>,
    ) -> Result<RunningWorker, Error> {
        match owner.isolation {
            Isolation::Worktree => *tree = Some(self.fork(workspace, record)?),
            Isolation::None => work::see_files(workspace, &self.records, step.id_text())?,
        }
        let launch = WorkerLaunch {
            role: &record.owner,
            owner,
            task: &record.step,
            attempt: record.attempt,
            timeout: owner.timeout,
            folder: &record.folder,
            setup: self.owners.setup.as_deref().filter(|_| tree.is_some()),
            prompt: prompts::build(workspace, loaded, step, record)?,
            prompt_file: self.records.prompt(&record.step, record.attempt),
            log: self.records.log(&record.step, record.attempt),
            report: self.draft(record),
            other_reports: vec![self.final_report(workspace, loaded, record)?],
            variables: vec![
                ("CANONRY_PLAN", self.plan.clone()),
                ("CANONRY_STEP", record.step.clone()),
                ("CANONRY_ATTEMPT", record.attempt.to_string()),
            ],
        };
        let worker = launch.prepare()?.start()?;
        record.worker = Some(worker.identity());
        self.records.save(record)?;
        Ok(worker)
    }

    /// Sets a step to `in_progress` if it is still ready. The lock excludes other commands between the look and the edit.
    fn begin_step(&self, id: &str) -> Result<bool, Error> {
        let workspace = self.open()?;
        let mut session = edits::begin_patiently(&workspace)?;
        let loaded = LoadedPlan::load(&workspace, Some(&self.plan))?;
        let states = StepStates::new(&loaded.document()?.steps);
        let Some(at) = states.position(id).filter(|at| states.is_ready(*at)) else { return Ok(false) };
        let Some(step) = self.step(&loaded, id)? else { return Ok(false) };
        if Gates::new(&workspace, &self.plan).gate(step)?.obstacle().is_some() {
            return Ok(false);
        }
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

    /// Renews the claim on an attempt. Whether its worker may go on.
    pub(super) fn keep_claim(&self, attempt: &mut ActiveAttempt) -> Result<bool, Error> {
        if attempt.renewed.elapsed() <= self.renewal {
            return Ok(true);
        }
        attempt.renewed = Instant::now();
        let workspace = Workspace::open(self.env, &Basis::WorkTree)?;
        // Another worker may hold the step. Keep what this one leaves, and discard its result.
        Ok(!attempt.claim.renew(&workspace).is_err_and(|error| error.kind == ErrorKind::Contention))
    }

    /// Concludes the attempt of a worker that no longer runs.
    pub(super) fn collect(
        &mut self,
        attempt: ActiveAttempt,
        worker: RunningWorker,
        stop: WorkerStop,
    ) -> Result<(), Error> {
        let result = worker.finish(stop, &self.recording.clock);
        if let Some(waiting) = self.settle(attempt, Some(result))? {
            let ActiveAttempt { record, .. } = &waiting.attempt;
            let notice =
                format!("{}: attempt {} has ended; its result waits: {}", record.step, record.attempt, waiting.error);
            self.observer.event(&PlanRunEvent::Notice(notice));
            self.waiting.push(waiting);
        }
        Ok(())
    }

    /// Tries again to record the results that wait.
    pub(super) fn settle_waiting(&mut self) -> Result<(), Error> {
        for mut waiting in std::mem::take(&mut self.waiting) {
            if !self.keep_claim(&mut waiting.attempt).unwrap_or(true) {
                continue;
            }
            let since = waiting.since;
            if let Some(again) = self.settle(waiting.attempt, waiting.result)? {
                self.waiting.push(Waiting { since, ..again });
            }
        }
        Ok(())
    }

    /// Records the end of an attempt. The result is the same attempt if the repository does not allow it now: a merge is in
    /// progress, for example, or the plan is half saved.
    fn settle(&self, attempt: ActiveAttempt, result: Option<WorkerResult>) -> Result<Option<Waiting>, Error> {
        match self.conclude_result(&attempt, result.as_ref()) {
            Ok(end) => {
                let ActiveAttempt { record, claim, tree, .. } = attempt;
                let is_complete = matches!(end, AttemptEnd::Complete { .. });
                if result.is_some() {
                    let step = record.step.clone();
                    let attempt = record.attempt;
                    self.observer.event(&PlanRunEvent::Ended { step, attempt, end });
                }
                self.clean_up(&record, claim, tree.as_ref(), is_complete)?;
                Ok(None)
            }
            Err(error) if error.kind == ErrorKind::Interrupted => Err(error),
            Err(error) => Ok(Some(Waiting { attempt, result, since: Instant::now(), error })),
        }
    }

    fn conclude_result(&self, attempt: &ActiveAttempt, result: Option<&WorkerResult>) -> Result<AttemptEnd, Error> {
        let ActiveAttempt { record, claim, tree, .. } = attempt;
        let end = match result {
            Some(result) => self.worker_end(record, result.clone())?,
            None => WorkerEnd::Interrupted,
        };
        let owner = self.owner(&record.owner);
        self.conclude_attempt(&EndedAttempt { record, owner, claim, tree: tree.as_ref() }, end)
    }

    /// Report of a worker, from its file or its output.
    fn worker_end(&self, record: &AttemptRecord, result: WorkerResult) -> Result<WorkerEnd, Error> {
        let workspace = self.open()?;
        let written = result.written_report.as_deref().map(|bytes| validate(&workspace, record, bytes));
        match (result.stop, &written) {
            // It may have finished in the moment in which it was stopped.
            (_, Some(Ok(report))) => return Ok(WorkerEnd::Report(report.clone())),
            (WorkerStop::Stopped, _) => return Ok(WorkerEnd::Interrupted),
            (WorkerStop::Timeout(_) | WorkerStop::Exit(_), _) => {}
        }
        // Some tools wait for the end of a limit until they are stopped.
        if let Some(limit) = result.limit {
            // Codex and Gemini CLI say nothing but an error on stderr, and a report without a text is invalid.
            let message = if result.message.trim().is_empty() { result.describe_end() } else { result.message };
            return Ok(WorkerEnd::Limit { until: limit.until, message });
        }
        if let WorkerStop::Timeout(_) = result.stop {
            return Ok(WorkerEnd::Timeout(result.describe_end()));
        }
        let printed = result.printed_report.as_ref().map(|text| validate(&workspace, record, text.as_bytes()));
        let problem = match (written, printed) {
            (_, Some(Ok(report))) => return Ok(WorkerEnd::Report(report)),
            (Some(Err(problem)), _) | (None, Some(Err(problem))) => problem,
            _ => "the worker left no report".to_owned(),
        };
        Ok(WorkerEnd::NoReport(format!("{problem}; {}", result.describe_end())))
    }

    /// The report in the file of a worker whose run is gone, or what is wrong with it; `None` without a file.
    pub(super) fn written_report(
        &self,
        workspace: &Workspace,
        record: &AttemptRecord,
    ) -> Result<Option<Result<Value, String>>, Error> {
        let loaded = LoadedPlan::load(workspace, Some(&self.plan))?;
        let final_path = self.final_report(workspace, &loaded, record)?;
        let bytes = read_report(&self.draft(record)).or_else(|| read_report(&final_path));
        Ok(bytes.map(|bytes| validate(workspace, record, &bytes)))
    }

    /// Where the report of an attempt ends up. Workers that follow the skills of the canon write it there.
    fn final_report(
        &self,
        workspace: &Workspace,
        loaded: &LoadedPlan,
        record: &AttemptRecord,
    ) -> Result<PathBuf, Error> {
        Ok(record.folder.join(self.report_path(workspace, loaded, record)?.to_display()))
    }

    /// Where the worker of an attempt writes its report: inside the folder that it works in, because many tools write
    /// nowhere else.
    pub(super) fn draft(&self, record: &AttemptRecord) -> PathBuf {
        let plan = file_name(&self.plan);
        let step = file_name(&record.step);
        record.folder.join(self.runs.to_display()).join(plan).join(format!("{step}.{}.json", record.attempt))
    }

    /// Removes what is no longer needed: the worktree if its work is merged, the claim, and the record.
    pub(super) fn clean_up(
        &self,
        record: &AttemptRecord,
        claim: ClaimHandle,
        tree: Option<&AttemptTree>,
        is_complete: bool,
    ) -> Result<(), Error> {
        let workspace = self.open()?;
        let head = workspace.repo()?.head_id().ok().map(gix::Id::detach);
        if let Some((tree, head)) = tree.zip(head) {
            let repo = workspace.repo()?;
            if let Removal::Kept(reason) = worktrees::remove_if_merged(repo, tree, head)? {
                self.observer.event(&PlanRunEvent::Kept {
                    branch: tree.branch.clone(),
                    folder: tree.folder.clone(),
                    reason: reason.to_string(),
                });
            }
        }
        let released = match head.filter(|_| is_complete) {
            Some(commit) if claims::are_shared(&workspace)? => claim.complete(&workspace, &commit.to_string()),
            _ => claim.release(&workspace),
        };
        match released {
            // Someone else has taken it over.
            Err(error) if error.kind != ErrorKind::Contention => return Err(error),
            _ => {}
        }
        self.records.close(&record.step, record.attempt)
    }
}

/// The valid report on an attempt in these bytes, or what is wrong with them.
fn validate(workspace: &Workspace, record: &AttemptRecord, bytes: &[u8]) -> Result<Value, String> {
    let text = String::from_utf8_lossy(bytes);
    let document = json::parse(&text, 0).map_err(|e| format!("its report is not JSON: {}", e.message))?;
    let value: Value = serde_json::from_str(&text).map_err(|e| format!("its report is not JSON: {e}"))?;
    let schemas = load::schemas(&workspace.view, &workspace.layout).map_err(|e| e.to_string())?;
    let violations = schemas.validate(canonry_model::canon::schema::SchemaKind::Report, &document.root);
    if let Some(first) = violations.first() {
        return Err(format!("its report is invalid: {}", describe(first)));
    }
    match value.get("step_id").and_then(Value::as_str) {
        Some(id) if id == record.step => Ok(value),
        other => Err(format!("its report is on step `{}`", other.unwrap_or_default())),
    }
}
