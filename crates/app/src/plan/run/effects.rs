//! The effects and looks of a run in a real repository.

use super::checked_out;
use super::collect_log::collect_log;
use super::proposals;
use super::world::{HeldClaim, Look, PlanLock, RepoWorld};
use crate::attempt::{Candidate, attempt_folder, tree_folder};
use crate::plan::claims::{self, ClaimHandle, Holder, TakeError};
use crate::plan::committed::{CommittedCommands, committed_plan, status_in};
use crate::plan::gate::Gates;
use crate::plan::load::{LoadedPlan, no_step, report_path};
use crate::plan::old_claims;
use crate::plan::upstream::{has_new_report, is_decided};
use crate::plan::verification::{COMMAND_TIMEOUT, Verification, Verifier};
use crate::plan::{StepStatus, edits, prompts, status};
use crate::workers::{
    RunningWorker, WorkerLaunch, WorkerResult, WorkerStop, end_orphan, read_report, remove_empty_folders, remove_report,
};
use crate::{Error, ErrorKind, Timestamp, Workspace};
use canonry_lint::violations::describe;
use canonry_model::canon::owners::{Integration, Isolation};
use canonry_model::canon::plan::PlanStep;
use canonry_model::canon::report::{AttemptOutcome, is_number_id};
use canonry_model::canon::schema::SchemaKind;
use canonry_repo::exec::worker::new_mark;
use canonry_repo::git::diff::is_ancestor;
use canonry_repo::git::integrate::finish_interrupted;
use canonry_repo::git::worktrees::{self, AttemptName, AttemptTree, Removal};
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_repo::view::{Basis, PathKind, load};
use canonry_runs::exec::ExecEvent;
use canonry_runs::plan::run::{
    Accepted, AttemptRecord, Checked, ClaimFor, Conclusion, PersonRequest, PlanWorld, Proposal, Taken, WorkError,
    WorkerEnd,
};
use canonry_runs::plan::{AttemptHistory, CommandResult, StepStates, UNCOMMITTED, with_status};
use canonry_text::json;
use canonry_text::node::Node;
use gix::ObjectId;
use serde_json::Value;
use std::path::Path;

impl PlanWorld for RepoWorld<'_> {
    type Error = Error;
    type Look = Look;
    type Claim = HeldClaim;
    type Worker = RunningWorker;
    type Left = WorkerResult;
    type Candidate = Candidate;
    type Lock = PlanLock;

    fn is_interruption(error: &Error) -> bool {
        error.kind == ErrorKind::Interrupted
    }

    fn now(&self) -> Timestamp {
        self.recording.clock.now()
    }

    fn event(&self, event: ExecEvent) {
        self.observer.event(&event);
    }

    fn look(&self) -> Result<Look, Error> {
        let workspace = self.open()?;
        let loaded = LoadedPlan::load_with_reports(&workspace, Some(&self.plan))?;
        loaded.document()?;
        Ok(Look { workspace, loaded })
    }

    fn steps<'l>(&self, look: &'l Look) -> &'l [PlanStep] {
        &look.loaded.document().expect("`look` has read the document").steps
    }

    fn history(&self, look: &Look, step: &PlanStep) -> AttemptHistory {
        AttemptHistory::from_reports(look.loaded.plan.attempts_at(step))
    }

    fn obstacle(&self, look: &Look, step: &PlanStep) -> Result<Option<PersonRequest>, Error> {
        Gates::new(&look.workspace, &self.plan).obstacle(step)
    }

    fn is_done(&self, look: &Look, step: &PlanStep, attempt: u64) -> Result<bool, Error> {
        let id = step.id_text();
        let concluded = self.records.conclusion(id, attempt)?;
        let is_concluded = concluded.is_some_and(|conclusion| conclusion.status() == StepStatus::Complete);
        let mut attempts = look.loaded.plan.attempts_at(step);
        let reported =
            attempts.find(|one| one.number == attempt).and_then(|one| Some((&one.path, one.result.as_ref()?)));
        let Some((path, result)) = reported.filter(|(_, result)| result.outcome == AttemptOutcome::Success) else {
            return Ok(false);
        };
        let workspace = &look.workspace;
        let repo = workspace.repo()?;
        let Ok(head) = repo.head_id().map(gix::Id::detach) else { return Ok(false) };
        let commit = result.commit.as_deref().and_then(|commit| ObjectId::from_hex(commit.as_bytes()).ok());
        let is_merged = match commit {
            Some(commit) => repo.has_object(commit) && is_ancestor(repo, commit, head)?,
            None => is_concluded,
        };
        let committed = workspace.open_view(&Basis::Commit("HEAD".to_owned()))?.read(path, DOCUMENT_LIMIT);
        let is_committed = committed == workspace.view.read(path, DOCUMENT_LIMIT);
        if !is_merged || !(is_concluded || is_committed) {
            return Ok(false);
        }
        let checks = self.checks(COMMAND_TIMEOUT);
        let gates = Gates::new(workspace, &self.plan);
        let verifier = Verifier { workspace, gates: &gates, log: self.records.log(id, attempt), checks: &checks };
        match CommittedCommands::load(workspace, &look.loaded)?.require(step).and_then(|()| verifier.verify(step, head))
        {
            Ok(verification) => Ok(verification.failure.is_none()),
            // The step is looked at as one that is open.
            Err(error) if error.kind == ErrorKind::Refused => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn blocked_reason(&self, look: &Look, step: &PlanStep) -> PersonRequest {
        status::blocked_reason(&look.loaded, step)
    }

    fn last_attempt(&self, look: &Look, step: &PlanStep) -> Result<u64, Error> {
        let branches = worktrees::list(look.workspace.repo()?, &self.plan)?;
        let branches = branches.iter().filter(|branch| branch.step == step.id_text()).map(|branch| branch.attempt);
        let record = self.records.last(step.id_text())?.map(|record| record.attempt);
        let reported = self.history(look, step).last;
        Ok(branches.chain(record).fold(reported, u64::max))
    }

    fn retries(&self, role: &str) -> u32 {
        self.owners.owner(role).map_or(0, |owner| owner.retries)
    }

    fn require_branch(&self, look: &Look) -> Result<(), Error> {
        let now = checked_out(look.workspace.repo()?);
        if now == self.onto {
            return Ok(());
        }
        let name = |branch: &Option<String>| branch.clone().unwrap_or_else(|| "a commit without a branch".to_owned());
        let began = name(&self.onto);
        let message = format!("the run began on {began}, and {} is checked out now", name(&now));
        Err(Error::new(ErrorKind::Refused, message).help(format!("run `git switch {began}`, then this again")))
    }

    fn has_room(&self, workers: usize) -> bool {
        self.clock.has_room(workers)
    }

    fn has_attempts(&self) -> bool {
        self.clock.has_attempts()
    }

    fn may_wait(&self, until: Timestamp) -> bool {
        self.clock.may_wait(self.env.clock.now(), until)
    }

    fn claim(&self, look: &Look, step: &str, attempt: ClaimFor<'_>) -> Result<Taken<HeldClaim>, Error> {
        let holder = Holder { name: claims::run_holder(), pid: Some(std::process::id()) };
        let workspace = &look.workspace;
        let (handle, taken) = match claims::take(workspace, &self.plan, step, attempt, &holder, Some(&self.path)) {
            Ok(taken) => taken,
            Err(TakeError::Decided(error)) => return Ok(Taken::Decided(error.message)),
            Err(error) => {
                let error = Error::from(error);
                return if error.kind == ErrorKind::Contention { Ok(Taken::Held(error.message)) } else { Err(error) };
            }
        };
        // Whoever pushed a result has given the claim up.
        let remote = workspace.config.plans.remote.as_deref().unwrap_or_default();
        let pushed = format!("`{step}` has a result on `{remote}`, which is not here: pull or merge it");
        match attempt {
            ClaimFor::Next(_) if has_new_report(workspace, &self.plan, step)? => {
                handle.withdraw(workspace)?;
                return Ok(Taken::Decided(pushed));
            }
            ClaimFor::Earlier(_) if is_decided(workspace, &self.path, step)? => {
                handle.release(workspace, None)?;
                return Ok(Taken::Decided(pushed));
            }
            ClaimFor::Next(_) | ClaimFor::Earlier(_) => {}
        }
        let number = match attempt {
            ClaimFor::Earlier(record) => record.attempt,
            ClaimFor::Next(_) => taken.attempt,
        };
        Ok(Taken::Claim { claim: HeldClaim::new(handle, &taken), attempt: number })
    }

    fn is_decided(&self, claim: &HeldClaim) -> bool {
        claim.is_decided
    }

    fn token(&self, claim: &HeldClaim) -> String {
        claim.handle.as_ref().map(ClaimHandle::token).unwrap_or_default()
    }

    fn new_record(&self, look: &Look, step: &PlanStep, attempt: u64) -> Result<AttemptRecord, Error> {
        Ok(AttemptRecord {
            step: step.id_text().to_owned(),
            attempt,
            owner: step.owner.as_ref().map(|owner| owner.text.clone()).unwrap_or_default(),
            started: self.now().to_string(),
            onto: self.onto.clone(),
            folder: look.workspace.top()?,
            branch: None,
            fork: None,
            worker: None,
            claim: String::new(),
            abandoned: false,
            is_announced: false,
            is_merged: false,
        })
    }

    fn save_record(&self, record: &AttemptRecord) -> Result<(), Error> {
        self.records.save(record)
    }

    fn begin_step(&self, step: &str) -> Result<bool, Error> {
        let workspace = self.open()?;
        let mut session = edits::begin_patiently(&workspace)?;
        let loaded = LoadedPlan::load(&workspace, Some(&self.plan))?;
        let steps = &loaded.document()?.steps;
        let states = StepStates::new(steps);
        let Some(at) = states.position(step).filter(|at| states.is_ready(*at)) else { return Ok(false) };
        if Gates::new(&workspace, &self.plan).gate(&steps[at])?.obstacle().is_some() {
            return Ok(false);
        }
        let edit = edits::status_edit(&workspace, &loaded, at, StepStatus::InProgress)?;
        edits::write(&workspace, &mut session, edit)?;
        Ok(true)
    }

    fn launch(&mut self, look: &Look, step: &PlanStep, record: &mut AttemptRecord) -> Result<RunningWorker, Error> {
        let workspace = &look.workspace;
        let owner = crate::plan::owners::require(workspace, &self.owners, step)?;
        let owner = self.clock.choose(owner, self.now());
        // Whatever happens from here on, a later run can end the worker.
        let mark = new_mark();
        record.worker = Some(mark.clone());
        match owner.isolation {
            Isolation::Worktree => self.fork(workspace, record)?,
            Isolation::None => {
                self.records.seen(step.id_text()).record(workspace)?;
                self.save_record(record)?;
            }
        }
        let log = self.records.log(&record.step, record.attempt);
        let launch = WorkerLaunch {
            role: &record.owner,
            owner: &owner,
            task: &record.step,
            attempt: record.attempt,
            timeout: owner.timeout,
            folder: &record.folder,
            setup: self.owners.setup.as_deref().filter(|_| record.branch.is_some()),
            prompt: prompts::build(workspace, &look.loaded, step, record)?,
            prompt_file: self.records.prompt(&record.step, record.attempt),
            log: log.clone(),
            report: self.draft_path(record),
            other_reports: vec![self.final_report(workspace, record)?],
            mark,
            variables: vec![
                ("CANONRY_PLAN", self.plan.clone()),
                ("CANONRY_STEP", record.step.clone()),
                ("CANONRY_ATTEMPT", record.attempt.to_string()),
            ],
        };
        let worker = launch.prepare()?.start()?;
        record.worker = Some(worker.identity());
        self.save_record(record)?;
        self.clock.count_attempt();
        // Shorter, and right for people who run canonry at the top.
        let log = log.strip_prefix(workspace.top()?).map(Path::to_owned).unwrap_or(log);
        let owner = record.owner.clone();
        self.event(ExecEvent::Started { step: record.step.clone(), attempt: record.attempt, owner, log });
        Ok(worker)
    }

    fn worker_end(&self, record: &AttemptRecord, left: &WorkerResult) -> Result<WorkerEnd, Error> {
        let workspace = self.open()?;
        let written = left.written_report.as_deref().map(|bytes| validate(&workspace, record, bytes));
        match (left.stop, &written) {
            // It may have finished in the moment in which it was stopped.
            (_, Some(Ok(report))) => return Ok(WorkerEnd::Report(report.clone())),
            (WorkerStop::Stopped, _) => return Ok(WorkerEnd::Interrupted),
            (WorkerStop::Timeout(_) | WorkerStop::Exit(_), _) => {}
        }
        // Some tools wait for the end of a limit until they are stopped.
        if let Some(limit) = &left.limit {
            // Codex and Gemini CLI say nothing but an error on stderr, and a report without a text is invalid.
            let message = if left.message.trim().is_empty() { left.describe_end() } else { left.message.clone() };
            return Ok(match &left.continued_by {
                Some(next) => WorkerEnd::Replaced(format!("usage limit, `{next}` goes on: {message}")),
                None => WorkerEnd::Limit { until: limit.until, message },
            });
        }
        if let WorkerStop::Timeout(_) = left.stop {
            return Ok(WorkerEnd::Timeout(left.describe_end()));
        }
        let printed = left.printed_report.as_ref().map(|text| validate(&workspace, record, text.as_bytes()));
        let problem = match (written, printed) {
            (_, Some(Ok(report))) => return Ok(WorkerEnd::Report(report)),
            (Some(Err(problem)), _) | (None, Some(Err(problem))) => problem,
            _ => "the worker left no report".to_owned(),
        };
        Ok(WorkerEnd::NoReport(format!("{problem}; {}", left.describe_end())))
    }

    fn save_report(&self, record: &AttemptRecord, report: &Value) -> Result<(), Error> {
        self.records.save_report(&record.step, record.attempt, report)
    }

    fn remove_draft(&self, record: &AttemptRecord) -> Result<(), Error> {
        let draft = self.draft_path(record);
        remove_report(&draft)?;
        // Another worker in this checkout writes its report to the same folder, which is empty until then.
        let is_other = |other: &AttemptRecord| other.folder == record.folder && other.step != record.step;
        if !self.records.all()?.iter().any(is_other) {
            remove_empty_folders(&draft);
        }
        Ok(())
    }

    /// Commits everything but the memory log, which this clone writes.
    fn save_work(&self, look: &Look, record: &AttemptRecord) -> Result<(), WorkError<Error>> {
        let workspace = &look.workspace;
        let tree = self.own_tree(workspace, record)?;
        if let Err(error) = collect_log(workspace, &tree) {
            let notice = format!("the memory log of {} is not collected: {error}", tree.branch);
            self.event(ExecEvent::Notice(notice));
        }
        let work = self.work(look, record)?;
        work.attempt_work().commit(&tree)?;
        work.excess_in_branch(&tree)?.map_or(Ok(()), |excess| Err(WorkError::Beyond(excess)))
    }

    fn candidate(&self, look: &Look, record: &AttemptRecord) -> Result<Candidate, WorkError<Error>> {
        let work = self.work(look, record)?;
        if record.branch.is_none() {
            return work.files();
        }
        work.branch(&self.own_tree(&look.workspace, record)?)
    }

    fn check(&self, look: &Look, record: &AttemptRecord, candidate: &Candidate) -> Result<Checked, Error> {
        let timeout = self.owners.owner(&record.owner).and_then(|owner| owner.timeout).unwrap_or(COMMAND_TIMEOUT);
        let checks = self.checks(timeout);
        Ok(match self.work(look, record)?.verify(candidate, &checks) {
            Ok(Verification { results, failure: None }) => Checked::Passed(results),
            Ok(Verification { results, failure: Some(failure) }) => Checked::Failed(results, failure),
            // A person changed the plan meanwhile.
            Err(error) if error.kind == ErrorKind::Refused => Checked::Refused(error.message),
            Err(error) => return Err(error),
        })
    }

    fn propose(
        &self,
        look: &Look,
        record: &AttemptRecord,
        candidate: &Candidate,
        report: Option<&Value>,
        commands: &[CommandResult],
    ) -> Result<Option<Proposal>, Error> {
        let owner = self.owners.owner(&record.owner);
        if owner.is_none_or(|owner| owner.integration == Integration::Merge) {
            return Ok(None);
        }
        proposals::propose(&self.work(look, record)?, candidate, report, commands)
    }

    fn lock(&self, look: &Look) -> Result<PlanLock, Error> {
        let session = edits::begin_patiently(&look.workspace)?;
        self.report_commits(&look.workspace)?;
        Ok(PlanLock { session, workspace: self.open()? })
    }

    fn is_current(&self, look: &Look, claim: &HeldClaim) -> Result<bool, Error> {
        claim.handle.as_ref().map_or(Ok(true), |handle| handle.is_current(&look.workspace))
    }

    fn announce(&self, look: &Look, claim: &HeldClaim, candidate: Option<&Candidate>) -> Result<(), Error> {
        let head = || super::tip(look.workspace.repo().ok()?);
        match (&claim.handle, candidate.map_or_else(head, Candidate::commit)) {
            (Some(handle), Some(commit)) if claims::are_shared(&look.workspace)? => {
                handle.announce(&look.workspace, &commit.to_string())
            }
            _ => Ok(()),
        }
    }

    fn accept(&self, look: &Look, record: &AttemptRecord, candidate: &Candidate) -> Result<Accepted, Error> {
        let accepted = self.work(look, record)?.accept(candidate)?;
        self.own_tip(&look.workspace)?;
        Ok(accepted)
    }

    fn save_conclusion(&self, record: &AttemptRecord, conclusion: &Conclusion) -> Result<(), Error> {
        self.records.save_conclusion(&record.step, record.attempt, conclusion)
    }

    fn write_report(&self, lock: &mut PlanLock, record: &AttemptRecord, conclusion: &Conclusion) -> Result<(), Error> {
        let PlanLock { session, workspace } = lock;
        let path = self.report_path(workspace, record)?;
        edits::write(workspace, session, edits::json_edit(workspace, path, &conclusion.report)?)
    }

    fn set_status(&self, lock: &mut PlanLock, step: &str, status: StepStatus) -> Result<(), Error> {
        let PlanLock { session, workspace } = lock;
        workspace.view.forget();
        let loaded = LoadedPlan::load(workspace, Some(&self.plan))?;
        let document = loaded.document()?;
        let steps = &document.steps;
        let at = StepStates::new(steps).position(step).ok_or_else(|| no_step(step, steps))?;
        if steps[at].status == status {
            return Ok(());
        }
        let committed = committed_plan(workspace, &self.path)?;
        // A step that is as committed again has the committed text again.
        let is_restored = status_in(committed.as_deref(), step) == status;
        let text = if is_restored { with_status(document, committed.as_deref(), step, status) } else { None };
        let edit = match text {
            Some(text) => edits::replace_text(workspace, &self.path, document.source.text(), text)?,
            None => edits::status_edit(workspace, &loaded, at, status)?,
        };
        edits::write(workspace, session, edit)
    }

    fn publish(&self, record: &AttemptRecord, status: StepStatus) -> Result<(), Error> {
        let workspace = self.open()?;
        self.commit_step(&workspace, &record.step, record.attempt, status);
        if status == StepStatus::Complete {
            self.records.seen(&record.step).forget()?;
        }
        self.learn(&workspace, record);
        Ok(())
    }

    fn remove_tree(&self, record: &AttemptRecord) -> Result<(), Error> {
        let workspace = self.open()?;
        let repo = workspace.repo()?;
        let Ok(head) = repo.head_id() else { return Ok(()) };
        let Some(tree) = self.tree(&workspace, record)? else { return Ok(()) };
        if let Removal::Kept(reason) = worktrees::remove_if_merged(repo, &tree, head.detach())? {
            let reason = reason.to_string();
            self.event(ExecEvent::Kept { branch: tree.branch, folder: tree.folder, reason });
        }
        Ok(())
    }

    fn release(&self, claim: HeldClaim, is_decided: bool) -> Result<(), Error> {
        let workspace = self.open()?;
        let head = super::tip(workspace.repo()?);
        let Some(handle) = claim.handle.filter(|_| !claim.is_decided) else { return Ok(()) };
        let released = match head.filter(|_| is_decided) {
            Some(head) => {
                let plan = committed_plan(&workspace, &self.path)?;
                // A hook may have refused the commit of the decision.
                let is_committed = plan.is_none_or(|plan| status_in(Some(&plan), &handle.step()).is_decided());
                let commit = if is_committed { head.to_string() } else { UNCOMMITTED.to_owned() };
                handle.complete(&workspace, &commit)
            }
            None => handle.release(&workspace, head),
        };
        match released {
            // Someone else has taken it over.
            Err(error) if error.kind != ErrorKind::Contention => Err(error),
            _ => Ok(()),
        }
    }

    fn close_record(&self, step: &str, attempt: u64) -> Result<(), Error> {
        self.records.close(step, attempt)
    }

    fn merged_proposal(
        &self,
        look: &Look,
        step: &PlanStep,
        attempt: u64,
    ) -> Result<Option<(AttemptRecord, Value)>, Error> {
        let Some(merged) = proposals::merged(&look.workspace, &look.loaded, step, attempt)? else { return Ok(None) };
        let record = self.new_record(look, step, attempt)?;
        let name = AttemptName { plan: self.plan.clone(), step: record.step.clone(), attempt };
        Ok(Some((AttemptRecord { branch: name.branch(), fork: merged.base, ..record }, merged.report)))
    }

    fn merged(&self, look: &Look) -> Result<Candidate, Error> {
        Candidate::merged(&look.workspace)
    }

    fn repair(&self) -> Result<(), Error> {
        let workspace = self.open()?;
        let repo = workspace.repo()?;
        finish_interrupted(repo)?;
        worktrees::sweep(repo, &attempt_folder(self.env, repo))?;
        self.commit_decisions()?;
        let plan = committed_plan(&workspace, &self.path)?;
        let is_complete = |step: &str| status_in(plan.as_deref(), step) == StepStatus::Complete;
        let head = workspace.open_view(&Basis::Commit("HEAD".to_owned())).ok();
        let is_reported = |step: &str, attempt: u64| {
            let path = report_path(&workspace.layout, &self.path, step, attempt);
            head.as_ref().zip(path).is_some_and(|(head, path)| head.kind(&path) == PathKind::File)
        };
        old_claims::forget_done(&workspace, &self.plan, is_complete, is_reported)
    }

    fn sweep(&self) -> Result<(), Error> {
        let workspace = self.open()?;
        let repo = workspace.repo()?;
        let Ok(head) = repo.head_id() else { return Ok(()) };
        // Listed first: an attempt has its claim and its record before its branch.
        let left = worktrees::list(repo, &self.plan)?;
        let records = self.records.all()?;
        let claims = claims::known(&workspace, &self.plan)?;
        for left in left {
            let is_its = |record: &AttemptRecord| record.step == left.step && record.attempt == left.attempt;
            let is_held = claims.get(&left.step).is_some_and(|claim| claim.until.is_some());
            if is_held || records.iter().any(is_its) {
                continue;
            }
            let name = AttemptName { plan: self.plan.clone(), step: left.step, attempt: left.attempt };
            let Some(folder) = tree_folder(&workspace, &name)? else { continue };
            // What stays was reported at the end of the attempt.
            let tree = AttemptTree { folder, branch: left.branch, fork: head.detach() };
            worktrees::remove_if_merged(repo, &tree, head.detach())?;
        }
        Ok(())
    }

    fn committed_status(&self, look: &Look, step: &str) -> Result<StepStatus, Error> {
        Ok(status_in(committed_plan(&look.workspace, &self.path)?.as_deref(), step))
    }

    fn records(&self) -> Result<Vec<AttemptRecord>, Error> {
        let records = self.records.all()?;
        if let Some(record) = records.iter().find(|record| record.onto != self.onto) {
            let began = record.onto.as_deref().unwrap_or("a commit without a branch");
            let AttemptRecord { step, attempt, .. } = record;
            let message = format!("attempt {attempt} at `{step}` began on {began}, which is not checked out");
            return Err(
                Error::new(ErrorKind::Refused, message).help(format!("run `git switch {began}`, then this again"))
            );
        }
        Ok(records)
    }

    fn conclusion(&self, step: &str, attempt: u64) -> Result<Option<Conclusion>, Error> {
        self.records.conclusion(step, attempt)
    }

    fn saved_report(&self, record: &AttemptRecord) -> Result<Option<Value>, Error> {
        self.records.report(&record.step, record.attempt)
    }

    fn draft(&self, look: &Look, record: &AttemptRecord) -> Result<Option<Value>, Error> {
        let final_path = self.final_report(&look.workspace, record)?;
        let bytes = read_report(&self.draft_path(record)).or_else(|| read_report(&final_path));
        Ok(bytes.and_then(|bytes| validate(&look.workspace, record, &bytes).ok()))
    }

    fn has_tree(&self, look: &Look, record: &AttemptRecord) -> Result<bool, Error> {
        Ok(self.tree(&look.workspace, record)?.is_some())
    }

    fn end_orphan(&self, record: &AttemptRecord) -> Result<(), Error> {
        if let Some(worker) = &record.worker {
            end_orphan(worker)?;
        }
        Ok(())
    }
}

/// The valid report on an attempt in these bytes, or what is wrong with them.
fn validate(workspace: &Workspace, record: &AttemptRecord, bytes: &[u8]) -> Result<Value, String> {
    let text = String::from_utf8_lossy(bytes);
    let document = json::parse(&text, 0).map_err(|e| format!("its report is not JSON: {}", e.message))?;
    let value: Value = serde_json::from_str(&text).map_err(|e| format!("its report is not JSON: {e}"))?;
    let schemas = load::schemas(&workspace.view, &workspace.layout).map_err(|e| e.to_string())?;
    let violations = schemas.validate(SchemaKind::Report, &document.root);
    if let Some(first) = violations.iter().find(|violation| !is_number_id(&document.root, violation)) {
        return Err(format!("its report is invalid: {}", describe(first)));
    }
    match document.root.get("step_id").and_then(Node::as_scalar) {
        Some(id) if id.text == record.step => Ok(value),
        other => Err(format!("its report is on step `{}`", other.map_or("", |id| &id.text))),
    }
}
