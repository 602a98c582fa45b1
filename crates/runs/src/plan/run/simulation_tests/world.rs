//! The effects of a simulated run.

use super::effect::SimWorld;
use super::held::{SimClaim, SimLock, SimLook};
use super::*;

impl PlanWorld for SimWorld {
    type Error = SimError;
    type Look = SimLook;
    type Claim = SimClaim;
    type Worker = u64;
    type Left = u64;
    /// Work, or none if the branch has it, on a branch with these commits.
    type Candidate = (Option<Commit>, BTreeSet<Commit>);
    type Lock = SimLock;

    fn is_interruption(error: &SimError) -> bool {
        *error == SimError::Killed
    }

    fn now(&self) -> Timestamp {
        Timestamp::from(jiff::Timestamp::from_second(self.sim.borrow().now).unwrap())
    }

    fn event(&self, _: ExecEvent) {}

    fn look(&self) -> Result<SimLook, SimError> {
        self.effect("look", |sim, clone| {
            let state = &sim.clones[clone];
            let steps = sim.steps.iter().map(|step| {
                let status = state.plan[step.id_text()];
                PlanStep { status, ..step.clone() }
            });
            let histories = state.plan.keys().map(|step| (step.clone(), state.history(step)));
            Ok(SimLook { steps: steps.collect(), histories: histories.collect() })
        })
    }

    fn steps<'l>(&self, look: &'l SimLook) -> &'l [PlanStep] {
        &look.steps
    }

    fn history(&self, look: &SimLook, step: &PlanStep) -> AttemptHistory {
        look.histories[step.id_text()].clone()
    }

    fn obstacle(&self, _: &SimLook, _: &PlanStep) -> Result<Option<PersonRequest>, SimError> {
        Ok(None)
    }

    fn is_done(&self, _: &SimLook, step: &PlanStep, attempt: u64) -> Result<bool, SimError> {
        self.effect("is_done", |sim, clone| {
            if sim.is(Bug::PlansAreBelieved) {
                return Ok(false);
            }
            let state = &sim.clones[clone];
            let attempt = (step.id_text().to_owned(), attempt);
            let outcome = state.reports.get(&attempt).and_then(|report| report.get("outcome")?.as_str());
            let is_concluded = state.conclusions.get(&attempt).is_some_and(|it| it.status() == StepStatus::Complete);
            let is_merged = state.branch.iter().any(|commit| commit.step == attempt.0 && commit.attempt == attempt.1);
            Ok(is_merged && (is_concluded || outcome == Some("success")))
        })
    }

    fn blocked_reason(&self, _: &SimLook, _: &PlanStep) -> PersonRequest {
        String::new().into()
    }

    fn last_attempt(&self, look: &SimLook, step: &PlanStep) -> Result<u64, SimError> {
        let id = step.id_text();
        let reported = look.histories[id].last;
        self.effect("last_attempt", |sim, clone| {
            let state = &sim.clones[clone];
            let known = state.trees.keys().chain(state.records.keys()).filter(|(one, _)| one == id);
            Ok(known.map(|(_, attempt)| *attempt).fold(reported, u64::max))
        })
    }

    fn retries(&self, _: &str) -> u32 {
        if self.sim.borrow().is(Bug::RetriesAreEndless) { u32::MAX } else { RETRIES }
    }

    fn require_branch(&self, _: &SimLook) -> Result<(), SimError> {
        Ok(())
    }

    fn has_room(&self, workers: usize) -> bool {
        workers < 3
    }

    fn has_attempts(&self) -> bool {
        let sim = self.sim.borrow();
        sim.is(Bug::BudgetIsEndless) || sim.started.get(&self.pid).is_none_or(|started| *started < BUDGET)
    }

    fn may_wait(&self, _: Timestamp) -> bool {
        true
    }

    fn claim(&self, _: &SimLook, step: &str, attempt: ClaimFor<'_>) -> Result<Taken<SimClaim>, SimError> {
        self.effect("claim", |sim, clone| {
            let held = sim.claims.get(step).cloned();
            let last = held.as_ref().map_or(0, |held| held.attempt);
            let number = match attempt {
                ClaimFor::Earlier(record) => record.attempt,
                ClaimFor::Next(number) => number.max(last + 1),
            };
            let is_own = |held: &Claim| match attempt {
                ClaimFor::Earlier(record) => record.claim == held.nonce.to_string(),
                ClaimFor::Next(_) => false,
            };
            let own = held.clone().filter(is_own);
            let done = own.as_ref().and_then(|own| own.done.clone());
            let nonce = own.as_ref().map_or_else(|| sim.id(), |own| own.nonce);
            let decision = |held: &Claim| held.done.clone().filter(|_| held.pid == 0).or(held.follows.clone());
            let state = &sim.clones[clone];
            let is_reopened = state.committed[step] != StepStatus::Pending;
            let decided = is_reopened.then(|| state.decisions(step));
            let follows = held.as_ref().and_then(decision).or(decided);
            let new = Claim {
                pid: self.pid,
                attempt: number.max(last),
                nonce,
                done,
                follows: follows.clone(),
                is_free: false,
            };
            if let Some(held) = held.filter(|_| !sim.is(Bug::ClaimsAreShared)) {
                if let Some(done) = held.done.as_ref().filter(|_| own.is_none()) {
                    if held.pid != 0 {
                        return Ok(Taken::Held("about to be decided".to_owned()));
                    }
                    if !sim.clones[clone].has_decisions(done) {
                        return Ok(Taken::Decided("decided elsewhere".to_owned()));
                    }
                }
                if sim.alive.contains(&held.pid) && !held.is_free {
                    return Ok(Taken::Held("held".to_owned()));
                }
                if follows.is_some_and(|earlier| !sim.clones[clone].has_decisions(&earlier)) {
                    return Ok(Taken::Decided("decided elsewhere".to_owned()));
                }
            }
            let is_decided = own.is_some_and(|own| own.pid == 0 && own.done.is_some());
            if !is_decided {
                sim.claims.insert(step.to_owned(), new);
            }
            let claim = SimClaim { step: step.to_owned(), attempt: number, nonce, is_decided };
            Ok(Taken::Claim { claim, attempt: number })
        })
    }

    fn new_record(&self, _: &SimLook, step: &PlanStep, attempt: u64) -> Result<AttemptRecord, SimError> {
        Ok(AttemptRecord {
            step: step.id_text().to_owned(),
            attempt,
            owner: step.owner.as_ref().unwrap().text.clone(),
            started: String::new(),
            onto: None,
            folder: PathBuf::new(),
            branch: None,
            fork: None,
            worker: None,
            claim: String::new(),
            abandoned: false,
            is_announced: false,
            is_merged: false,
        })
    }

    fn is_decided(&self, claim: &SimClaim) -> bool {
        claim.is_decided
    }

    fn token(&self, claim: &SimClaim) -> String {
        claim.nonce.to_string()
    }

    fn save_record(&self, record: &AttemptRecord) -> Result<(), SimError> {
        self.effect("save_record", |sim, clone| {
            sim.clones[clone].records.insert(Self::attempt(record), record.clone());
            Ok(())
        })
    }

    fn begin_step(&self, step: &str) -> Result<bool, SimError> {
        self.effect("begin_step", |sim, clone| {
            if sim.clones[clone].locked_by.is_some() {
                return Err(SimError::Busy);
            }
            let state = &mut sim.clones[clone];
            let steps: Vec<PlanStep> =
                sim.steps.iter().map(|step| PlanStep { status: state.plan[step.id_text()], ..step.clone() }).collect();
            let states = StepStates::new(&steps);
            if !states.position(step).is_some_and(|at| states.is_ready(at)) {
                return Ok(false);
            }
            state.plan.insert(step.to_owned(), StepStatus::InProgress);
            Ok(true)
        })
    }

    fn launch(&mut self, _: &SimLook, _: &PlanStep, record: &mut AttemptRecord) -> Result<u64, SimError> {
        let attempt = Self::attempt(record);
        self.effect("launch", |sim, clone| {
            if sim.clones[clone].is_busy {
                return Err(SimError::Busy);
            }
            let tree = Tree { work: None, is_committed: false, is_conflicting: false };
            sim.clones[clone].trees.insert(attempt.clone(), tree);
            Ok(())
        })?;
        record.branch = Some(format!("{}.{}", record.step, record.attempt));
        self.save_record(record)?;
        let id = self.effect("launch", |sim, clone| {
            let id = sim.id();
            let script = sim.script();
            sim.workers.insert(id, Worker { pid: self.pid, clone, attempt, script, is_alive: true, has_ended: false });
            *sim.started.entry(self.pid).or_default() += 1;
            Ok(id)
        })?;
        record.worker = Some(id.to_string());
        self.save_record(record)?;
        Ok(id)
    }

    fn worker_end(&self, _: &AttemptRecord, left: &u64) -> Result<WorkerEnd, SimError> {
        self.effect("worker_end", |sim, _| {
            let worker = &sim.workers[left];
            if !worker.has_ended {
                return Ok(WorkerEnd::Interrupted);
            }
            let report = |outcome: &str| {
                WorkerEnd::Report(
                    json!({"step_id": worker.attempt.0, "outcome": outcome, "details": "d", "error": "e"}),
                )
            };
            Ok(match worker.script {
                Script::Good | Script::Bad | Script::Conflicting => report("success"),
                Script::Failing => report("failure"),
                Script::Blocked => report("blocked"),
                Script::Silent => WorkerEnd::NoReport("nothing".to_owned()),
                Script::Slow => WorkerEnd::Timeout("slow".to_owned()),
                Script::Limited if sim.is(Bug::LimitsCount) => WorkerEnd::NoReport("limit".to_owned()),
                Script::Limited => WorkerEnd::Limit { until: None, message: "limit".to_owned() },
            })
        })
    }

    fn save_report(&self, record: &AttemptRecord, report: &Value) -> Result<(), SimError> {
        self.effect("save_report", |sim, clone| {
            sim.clones[clone].saved.insert(Self::attempt(record), report.clone());
            Ok(())
        })
    }

    fn remove_draft(&self, _: &AttemptRecord) -> Result<(), SimError> {
        self.effect("remove_draft", |_, _| Ok(()))
    }

    fn save_work(&self, _: &SimLook, record: &AttemptRecord) -> Result<(), WorkError<SimError>> {
        self.effect("save_work", |sim, clone| {
            Ok(sim.clones[clone].trees.get_mut(&Self::attempt(record)).map(|tree| tree.is_committed = true))
        })?
        .ok_or_else(|| WorkError::Attempt("gone".to_owned()))
    }

    fn candidate(&self, _: &SimLook, record: &AttemptRecord) -> Result<Self::Candidate, WorkError<SimError>> {
        let found = self.effect("candidate", |sim, clone| {
            let state = &sim.clones[clone];
            if state.is_busy {
                return Err(SimError::Busy);
            }
            let tree = state.trees.get(&Self::attempt(record)).filter(|tree| tree.is_committed);
            Ok(tree.and_then(|tree| tree.work.clone()).map(|work| (Some(work), state.branch.clone())))
        })?;
        found.ok_or_else(|| WorkError::Attempt("no work".to_owned()))
    }

    fn check(&self, _: &SimLook, _: &AttemptRecord, (work, _): &Self::Candidate) -> Result<Checked, SimError> {
        self.effect("check", |sim, _| {
            let passes = work.as_ref().is_none_or(|work| work.passes) || sim.is(Bug::ChecksPass);
            Ok(if passes { Checked::Passed(Vec::new()) } else { Checked::Failed(Vec::new(), "red".to_owned()) })
        })
    }

    fn propose(
        &self,
        _: &SimLook,
        record: &AttemptRecord,
        (work, _): &Self::Candidate,
        _: Option<&Value>,
        _: &[CommandResult],
    ) -> Result<Option<Proposal>, SimError> {
        self.effect("propose", |sim, clone| {
            let is_merged = |work: &Commit| sim.clones[clone].branch.contains(work);
            let is_wanted = record.owner == "P" && record.branch.is_some();
            let Some(work) = work.clone().filter(|work| is_wanted && !is_merged(work)) else { return Ok(None) };
            sim.proposed.insert(work);
            let message = "waits for its pull request".to_owned();
            Ok(Some(Proposal { message, base: String::new(), commit: String::new() }))
        })
    }

    fn merged_proposal(
        &self,
        look: &SimLook,
        step: &PlanStep,
        attempt: u64,
    ) -> Result<Option<(AttemptRecord, Value)>, SimError> {
        let found = self.effect("merged_proposal", |sim, clone| {
            let state = &sim.clones[clone];
            let is_its = |commit: &Commit| commit.step == step.id_text() && commit.attempt == attempt;
            let report = state.reports.get(&(step.id_text().to_owned(), attempt));
            Ok(report.filter(|_| state.branch.iter().any(is_its)).cloned())
        })?;
        let Some(report) = found else { return Ok(None) };
        let branch = Some(format!("{}.{attempt}", step.id_text()));
        Ok(Some((AttemptRecord { branch, ..self.new_record(look, step, attempt)? }, report)))
    }

    fn merged(&self, _: &SimLook) -> Result<Self::Candidate, SimError> {
        self.effect("merged", |sim, clone| Ok((None, sim.clones[clone].branch.clone())))
    }

    fn lock(&self, _: &SimLook) -> Result<SimLock, SimError> {
        self.effect("lock", |sim, clone| {
            let state = &mut sim.clones[clone];
            if state.locked_by.is_some() || state.is_busy {
                return Err(SimError::Busy);
            }
            state.locked_by = Some(self.pid);
            Ok(())
        })?;
        Ok(SimLock { sim: self.sim.clone(), clone: self.clone })
    }

    fn is_current(&self, _: &SimLook, claim: &SimClaim) -> Result<bool, SimError> {
        self.effect("is_current", |sim, _| {
            Ok(sim.claims.get(&claim.step).is_some_and(|held| held.nonce == claim.nonce))
        })
    }

    fn announce(&self, _: &SimLook, claim: &SimClaim, candidate: Option<&Self::Candidate>) -> Result<(), SimError> {
        self.effect("announce", |sim, _| {
            let is_silent = sim.is(Bug::ClaimsEnd) || sim.people.contains(&self.pid);
            let status = if candidate.is_some() { StepStatus::Complete } else { StepStatus::Blocked };
            let held = sim.claims.get_mut(&claim.step).filter(|held| held.nonce == claim.nonce && !is_silent);
            if let Some(held) = held {
                held.done = Some(BTreeMap::from([((claim.step.clone(), claim.attempt), status)]));
            }
            Ok(())
        })
    }

    fn accept(
        &self,
        _: &SimLook,
        record: &AttemptRecord,
        (work, onto): &Self::Candidate,
    ) -> Result<Accepted, SimError> {
        self.effect("accept", |sim, clone| {
            let state = &mut sim.clones[clone];
            if work.as_ref().is_some_and(|work| state.branch.contains(work)) {
                // A killed run had merged it.
                return Ok(Accepted::Complete { base: None, commit: None });
            }
            if state.branch != *onto {
                return Ok(Accepted::Moved);
            }
            let Some(work) = work else { return Ok(Accepted::Complete { base: None, commit: None }) };
            if state.trees.get(&Self::attempt(record)).is_some_and(|tree| tree.is_conflicting) {
                return Ok(Accepted::Conflict("conflict".to_owned()));
            }
            state.branch.insert(work.clone());
            Ok(Accepted::Complete { base: None, commit: None })
        })
    }

    fn save_conclusion(&self, record: &AttemptRecord, conclusion: &Conclusion) -> Result<(), SimError> {
        self.effect("save_conclusion", |sim, clone| {
            sim.clones[clone].conclusions.insert(Self::attempt(record), conclusion.clone());
            Ok(())
        })
    }

    fn write_report(&self, _: &mut SimLock, record: &AttemptRecord, conclusion: &Conclusion) -> Result<(), SimError> {
        self.effect("write_report", |sim, clone| {
            sim.clones[clone].reports.insert(Self::attempt(record), conclusion.report.clone());
            Ok(())
        })
    }

    fn set_status(&self, _: &mut SimLock, step: &str, status: StepStatus) -> Result<(), SimError> {
        self.effect("set_status", |sim, clone| {
            sim.clones[clone].plan.insert(step.to_owned(), status);
            Ok(())
        })
    }

    fn publish(&self, record: &AttemptRecord, status: StepStatus) -> Result<(), SimError> {
        self.effect("publish", |sim, clone| {
            let is_whole = sim.is(Bug::PlansAreCommitted);
            let state = &mut sim.clones[clone];
            let attempt = Self::attempt(record);
            let mut statuses = if is_whole { state.plan.clone() } else { BTreeMap::new() };
            statuses.insert(attempt.0.clone(), status);
            state.committed.extend(statuses);
            if let Some(report) = state.reports.get(&attempt).cloned() {
                state.published.insert(attempt, (status, report));
            }
            Ok(())
        })
    }

    fn remove_tree(&self, record: &AttemptRecord) -> Result<(), SimError> {
        self.effect("remove_tree", |sim, clone| {
            let goes = sim.is(Bug::TreesGo);
            let state = &mut sim.clones[clone];
            let attempt = Self::attempt(record);
            let is_merged = |tree: &Tree| tree.work.as_ref().is_none_or(|work| state.branch.contains(work));
            if state.trees.get(&attempt).is_some_and(|tree| goes || is_merged(tree)) {
                state.trees.remove(&attempt);
            }
            Ok(())
        })
    }

    fn release(&self, claim: SimClaim, is_decided: bool) -> Result<(), SimError> {
        self.effect("release", |sim, clone| {
            let last = sim.clones[clone].decisions(&claim.step);
            let is_kept = is_decided && !sim.is(Bug::ClaimsEnd);
            let is_own = |held: &&mut Claim| held.nonce == claim.nonce && !claim.is_decided;
            if let Some(held) = sim.claims.get_mut(&claim.step).filter(is_own) {
                held.done = is_kept.then(|| last.clone());
                held.is_free = held.done.is_none();
                held.pid = 0;
                if held.follows.is_some() {
                    held.follows = Some(last);
                }
            }
            Ok(())
        })
    }

    fn close_record(&self, step: &str, attempt: u64) -> Result<(), SimError> {
        self.effect("close_record", |sim, clone| {
            let state = &mut sim.clones[clone];
            let attempt = (step.to_owned(), attempt);
            state.records.remove(&attempt);
            state.saved.remove(&attempt);
            let is_complete = |conclusion: &Conclusion| conclusion.status() == StepStatus::Complete;
            if !state.conclusions.get(&attempt).is_some_and(is_complete) {
                state.conclusions.remove(&attempt);
            }
            Ok(())
        })
    }

    fn repair(&self) -> Result<(), SimError> {
        self.effect("repair", |sim, clone| {
            let Sim { claims, clones, .. } = sim;
            let is_known = |claim: &Claim| {
                let is_everywhere = |done: &Decisions| clones.iter().all(|clone| clone.has_decisions(done));
                claim.pid == 0 && claim.done.as_ref().is_some_and(is_everywhere)
            };
            claims.retain(|step, claim| !is_known(claim) || clones[clone].committed[step] != StepStatus::Complete);
            for claim in claims.values_mut().filter(|claim| is_known(claim)) {
                // An attempt of another clone may have the number.
                (claim.done, claim.follows, claim.is_free) = (None, None, true);
            }
            Ok(())
        })
    }

    fn sweep(&self) -> Result<(), SimError> {
        self.effect("sweep", |sim, clone| {
            let is_held = |step: &str| {
                let held = sim.claims.get(step).filter(|held| !held.is_free);
                held.is_some_and(|held| sim.alive.contains(&held.pid))
            };
            let held: BTreeSet<String> = sim.claims.keys().filter(|step| is_held(step)).cloned().collect();
            let CloneState { trees, records, branch, .. } = &mut sim.clones[clone];
            trees.retain(|attempt, tree| {
                let is_merged = tree.work.as_ref().is_none_or(|work| branch.contains(work));
                records.contains_key(attempt) || held.contains(&attempt.0) || !is_merged
            });
            Ok(())
        })
    }

    fn committed_status(&self, _: &SimLook, step: &str) -> Result<StepStatus, SimError> {
        self.effect("committed_status", |sim, clone| Ok(sim.clones[clone].committed[step]))
    }

    fn records(&self) -> Result<Vec<AttemptRecord>, SimError> {
        self.effect("records", |sim, clone| Ok(sim.clones[clone].records.values().cloned().collect()))
    }

    fn conclusion(&self, step: &str, attempt: u64) -> Result<Option<Conclusion>, SimError> {
        self.effect("conclusion", |sim, clone| {
            Ok(sim.clones[clone].conclusions.get(&(step.to_owned(), attempt)).cloned())
        })
    }

    fn saved_report(&self, record: &AttemptRecord) -> Result<Option<Value>, SimError> {
        self.effect("saved_report", |sim, clone| Ok(sim.clones[clone].saved.get(&Self::attempt(record)).cloned()))
    }

    fn draft(&self, _: &SimLook, record: &AttemptRecord) -> Result<Option<Value>, SimError> {
        let worker = self.sim.borrow().worker_of(self.clone, &Self::attempt(record));
        let Some(worker) = worker else { return Ok(None) };
        Ok(match self.worker_end(record, &worker)? {
            WorkerEnd::Report(report) => Some(report),
            _ => None,
        })
    }

    fn has_tree(&self, _: &SimLook, record: &AttemptRecord) -> Result<bool, SimError> {
        self.effect("has_tree", |sim, clone| Ok(sim.clones[clone].trees.contains_key(&Self::attempt(record))))
    }

    fn end_orphan(&self, record: &AttemptRecord) -> Result<(), SimError> {
        self.effect("end_orphan", |sim, clone| {
            let worker = sim.worker_of(clone, &Self::attempt(record)).filter(|_| !sim.is(Bug::OrphansLive));
            if let Some(worker) = worker.and_then(|id| sim.workers.get_mut(&id)) {
                worker.is_alive = false;
            }
            Ok(())
        })
    }
}
