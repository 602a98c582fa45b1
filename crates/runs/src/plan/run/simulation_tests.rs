//! Simulated runs of one plan in two clones: scripted workers, kills between any two effects, rivals, stale saves of the plan,
//! usage limits, busy repositories and pulls, in an order that a seed decides. The guarantees of runs are checked after each
//! effect, and at the end everything must be settled.
//!
//! `BUGS` breaks one guarantee each, and the simulation has to find every one of them.

use super::event::PlanRunEvent;
use super::*;
use crate::plan::StepStates;
use canonry_model::canon::Blob;
use canonry_model::canon::plan::Plan;
use canonry_model::canon::report::{AttemptCause, AttemptOutcome, AttemptResult, StepAttempt};
use canonry_model::canon::schema::Schemas;
use canonry_text::{RepoPath, Source, Span};
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

/// The steps: a diamond, a step that runs alone, and two that share a file.
const PLAN: &str = "steps:
  - {id: a, owner: A, parallel: true}
  - {id: b, owner: A, parallel: true, deps: [a], files: [shared]}
  - {id: c, owner: A, parallel: true, deps: [a], files: [shared]}
  - {id: d, owner: A, parallel: true, deps: [b, c]}
  - {id: alone, owner: A}
  - {id: e, owner: A, parallel: true}
";
const RETRIES: u32 = 1;
const BUDGET: u64 = 8;
const CLONES: usize = 2;
/// Events before the world becomes calm.
const EVENTS: usize = 120;
/// More turns than a calm world needs.
const TURNS: usize = 400;

/// A fault of the world or of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bug {
    /// Work that fails its checks is accepted.
    ChecksPass,
    /// A work tree is removed whatever it holds.
    TreesGo,
    /// A usage limit is taken for a failure.
    LimitsCount,
    /// A step is claimed although somebody holds it.
    ClaimsAreShared,
    /// The claim on a complete step does not outlive it.
    ClaimsEnd,
    /// A plan that an editor saves overrides the journal.
    PlansAreBelieved,
    /// Attempts are not counted.
    RetriesAreEndless,
    /// The budget is not looked at.
    BudgetIsEndless,
    /// The worker of a killed run goes on.
    OrphansLive,
}

const BUGS: [Bug; 9] = [
    Bug::ChecksPass,
    Bug::TreesGo,
    Bug::LimitsCount,
    Bug::ClaimsAreShared,
    Bug::ClaimsEnd,
    Bug::PlansAreBelieved,
    Bug::RetriesAreEndless,
    Bug::BudgetIsEndless,
    Bug::OrphansLive,
];

/// An attempt of a clone.
type Attempt = (String, u64);

/// The work of an attempt as a commit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Commit {
    step: String,
    attempt: u64,
    clone: usize,
    passes: bool,
}

/// Behaviour of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Script {
    Good,
    /// It reports success, and its commands fail.
    Bad,
    Conflicting,
    Silent,
    Failing,
    Blocked,
    Slow,
    Limited,
}

#[derive(Clone, Debug)]
struct Worker {
    pid: u64,
    clone: usize,
    attempt: Attempt,
    script: Script,
    is_alive: bool,
    has_ended: bool,
}

#[derive(Clone, Debug)]
struct Tree {
    work: Option<Commit>,
    is_committed: bool,
    is_conflicting: bool,
}

#[derive(Clone, Debug)]
struct Claim {
    pid: u64,
    attempt: u64,
    nonce: u64,
    /// The work that a complete step waits to be shared.
    done: Option<Commit>,
    /// Whether it was released, and tells others only the number of the last attempt.
    is_free: bool,
}

#[derive(Default)]
struct CloneState {
    /// The statuses in the plan of the work tree.
    plan: BTreeMap<String, StepStatus>,
    branch: BTreeSet<Commit>,
    reports: BTreeMap<Attempt, Value>,
    /// The statuses and reports that are committed.
    published: BTreeMap<Attempt, (StepStatus, Value)>,
    records: BTreeMap<Attempt, AttemptRecord>,
    saved: BTreeMap<Attempt, Value>,
    conclusions: BTreeMap<Attempt, Conclusion>,
    trees: BTreeMap<Attempt, Tree>,
    /// The plan in an editor.
    buffer: Option<BTreeMap<String, StepStatus>>,
    locked_by: Option<u64>,
    /// Whether a merge is in progress.
    is_busy: bool,
}

struct Sim {
    steps: Vec<PlanStep>,
    random: Cell<u64>,
    now: i64,
    bug: Option<Bug>,
    is_calm: bool,
    clones: Vec<CloneState>,
    claims: BTreeMap<String, Claim>,
    workers: BTreeMap<u64, Worker>,
    alive: BTreeSet<u64>,
    /// Number of effects until a process is killed.
    kills: BTreeMap<u64, u64>,
    started: BTreeMap<u64, u64>,
    last_id: u64,
    /// Good work that must be in a tree or in a branch from then on.
    produced: BTreeSet<Commit>,
    violation: Option<String>,
    /// Events, if they are wanted.
    trace: Option<Vec<String>>,
}

impl Sim {
    fn new(seed: u64, bug: Option<Bug>) -> Self {
        let plan = Plan::parse(RepoPath::from("p"), Blob::Bytes(PLAN.into()), &Schemas::default());
        let steps = plan.document.unwrap().steps.clone();
        let clone = || CloneState {
            plan: steps.iter().map(|step| (step.id_text().to_owned(), StepStatus::Pending)).collect(),
            ..CloneState::default()
        };
        Self {
            clones: (0..CLONES).map(|_| clone()).collect(),
            steps,
            random: Cell::new(seed),
            now: 1_767_225_600,
            bug,
            is_calm: false,
            claims: BTreeMap::new(),
            workers: BTreeMap::new(),
            alive: BTreeSet::new(),
            kills: BTreeMap::new(),
            started: BTreeMap::new(),
            last_id: 0,
            produced: BTreeSet::new(),
            violation: None,
            trace: None,
        }
    }

    /// A number below `bound`, by SplitMix64 (<https://prng.di.unimi.it/splitmix64.c>).
    fn below(&self, bound: u64) -> u64 {
        self.random.set(self.random.get().wrapping_add(0x9e37_79b9_7f4a_7c15));
        let mixed = (self.random.get() ^ (self.random.get() >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    fn id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    fn is(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }

    fn violated(&mut self, what: String) {
        self.violation.get_or_insert(what);
    }

    fn trace(&mut self, event: impl FnOnce() -> String) {
        if let Some(trace) = self.trace.as_mut().filter(|_| self.violation.is_none()) {
            trace.push(event());
        }
    }

    fn script(&self) -> Script {
        use Script::*;
        if self.is_calm {
            return Good;
        }
        [Good, Good, Good, Good, Bad, Conflicting, Silent, Failing, Blocked, Slow, Limited][self.below(11) as usize]
    }

    fn worker_of(&self, clone: usize, attempt: &Attempt) -> Option<u64> {
        self.workers.iter().find(|(_, it)| it.clone == clone && it.attempt == *attempt).map(|(id, _)| *id)
    }

    /// A worker comes to its end by itself.
    fn end_worker(&mut self, id: u64) {
        let Some(worker) = self.workers.get_mut(&id).filter(|worker| worker.is_alive) else { return };
        worker.is_alive = false;
        worker.has_ended = true;
        let Worker { clone, attempt, script, .. } = worker.clone();
        let Some(tree) = self.clones[clone].trees.get_mut(&attempt) else { return };
        if matches!(script, Script::Good | Script::Bad | Script::Conflicting | Script::Silent) {
            let (step, number) = attempt;
            let work = Commit { step, attempt: number, clone, passes: script != Script::Bad };
            tree.is_conflicting = script == Script::Conflicting;
            tree.work = Some(work.clone());
            self.produced.insert(work);
        }
    }

    /// The team pulls.
    fn pull(&mut self, into: usize, from: usize) {
        let branch = self.clones[from].branch.clone();
        let published = self.clones[from].published.clone();
        let own = &mut self.clones[into];
        own.branch.extend(branch);
        for (attempt, (status, report)) in published {
            own.reports.entry(attempt.clone()).or_insert_with(|| report.clone());
            if status == StepStatus::Complete {
                own.plan.insert(attempt.0.clone(), status);
            }
            own.published.entry(attempt).or_insert((status, report));
        }
    }

    fn check(&mut self) {
        if self.violation.is_some() {
            return;
        }
        let mut found = Vec::new();
        for (at, clone) in self.clones.iter().enumerate() {
            for (step, _) in clone.plan.iter().filter(|(_, status)| **status == StepStatus::Complete) {
                if !clone.branch.iter().any(|commit| commit.step == *step && commit.passes) {
                    found.push(format!("done means verified: {step} is complete in clone {at} without checked work"));
                }
            }
            for step in clone.plan.keys() {
                // Others may have tried, too, and nobody knew it before the team pulled.
                let is_own = |attempt: &Attempt| attempt.0 == *step && self.worker_of(at, attempt).is_some();
                let own = clone.reports.iter().filter(|(attempt, _)| is_own(attempt));
                let counted = history(own).counted;
                if counted > u64::from(RETRIES) + 1 {
                    found.push(format!("bounds hold: {counted} attempts at {step} in clone {at}"));
                }
            }
            for ((step, attempt), report) in &clone.reports {
                let worker = self.worker_of(at, &(step.clone(), *attempt)).map(|id| &self.workers[&id]);
                let was_limited = worker.is_some_and(|it| it.script == Script::Limited && it.has_ended);
                let cause = report.get("cause").and_then(Value::as_str);
                if was_limited && !matches!(cause, Some("usage_limit" | "interrupted")) {
                    found.push(format!("a limit is a state: attempt {attempt} at {step} counts as {cause:?}"));
                }
            }
        }
        for (attempt, report) in &self.clones[0].reports {
            if self.clones[1].reports.get(attempt).is_some_and(|other| other != report) {
                found.push(format!("no work is lost: two reports on {attempt:?}"));
            }
        }
        let mut busy = BTreeSet::new();
        for worker in self.workers.values().filter(|worker| worker.is_alive) {
            // The worker of a killed run in another clone ends when that clone recovers; its result never counts.
            let place = if self.alive.contains(&worker.pid) { None } else { Some(worker.clone) };
            for place in place.map_or(vec![None, Some(worker.clone)], |place| vec![Some(place)]) {
                if !busy.insert((&worker.attempt.0, place)) {
                    found.push(format!("one worker per step: two work on {}", worker.attempt.0));
                }
            }
        }
        let branches = self.clones.iter().flat_map(|clone| &clone.branch);
        let effects: BTreeSet<&Commit> = branches.collect();
        for step in &self.steps {
            let count = effects.iter().filter(|commit| commit.step == step.id_text()).count();
            if count > 1 {
                found.push(format!("one worker per step: {} was done {count} times", step.id_text()));
            }
        }
        for work in &self.produced {
            let is_in_tree = |clone: &CloneState| clone.trees.values().any(|tree| tree.work.as_ref() == Some(work));
            if !effects.contains(work) && !self.clones.iter().any(is_in_tree) {
                found.push(format!("no work is lost: {work:?} is gone"));
            }
        }
        for (pid, started) in &self.started {
            if *started > BUDGET {
                found.push(format!("bounds hold: process {pid} started {started} workers"));
            }
        }
        if let Some(first) = found.into_iter().next() {
            self.violated(first);
        }
    }
}

fn history<'r>(reports: impl Iterator<Item = (&'r Attempt, &'r Value)>) -> AttemptHistory {
    let attempts: Vec<StepAttempt> = reports.map(|(attempt, report)| parsed(attempt, report)).collect();
    AttemptHistory::from_reports(attempts.iter())
}

impl CloneState {
    /// Whether the commit that says that a step is complete is here.
    fn has_status(&self, done: &Commit) -> bool {
        self.published
            .get(&(done.step.clone(), done.attempt))
            .is_some_and(|(status, _)| *status == StepStatus::Complete)
    }

    fn history(&self, step: &str) -> AttemptHistory {
        history(self.reports.iter().filter(|((one, _), _)| one == step))
    }
}

fn parsed((step, number): &Attempt, report: &Value) -> StepAttempt {
    let text = |key: &str| report.get(key).and_then(Value::as_str);
    let source = Arc::new(Source::from_bytes(RepoPath::from("r.json"), b"{}".to_vec()).unwrap());
    let result = AttemptResult {
        outcome: match text("outcome").unwrap() {
            "success" => AttemptOutcome::Success,
            "blocked" => AttemptOutcome::Blocked,
            _ => AttemptOutcome::Failure,
        },
        source,
        span: Span::new(0, 0),
        cause: text("cause").and_then(AttemptCause::from_word),
        waiting_until: text("waiting_until").and_then(Timestamp::parse),
        timestamp: None,
        details: String::new(),
        error: text("error").map(str::to_owned),
        owner: None,
        commit: None,
        base: None,
    };
    StepAttempt { step: step.clone(), number: *number, path: RepoPath::from("r.json"), result: Some(result) }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum SimError {
    Killed,
    Busy,
}

impl Display for SimError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

type Processes = Rc<RefCell<Vec<Process>>>;

struct SimWorld {
    sim: Rc<RefCell<Sim>>,
    /// The processes that act between two effects of this one.
    rivals: Processes,
    clone: usize,
    pid: u64,
}

struct SimLook {
    steps: Vec<PlanStep>,
    histories: BTreeMap<String, AttemptHistory>,
}

struct SimLock {
    sim: Rc<RefCell<Sim>>,
    clone: usize,
}

impl Drop for SimLock {
    fn drop(&mut self) {
        self.sim.borrow_mut().clones[self.clone].locked_by = None;
    }
}

struct SimClaim {
    step: String,
    nonce: u64,
}

impl SimWorld {
    /// Something happens before an effect: a kill, a rival, or nothing.
    fn effect<T>(&self, name: &str, act: impl FnOnce(&mut Sim, usize) -> Result<T, SimError>) -> Result<T, SimError> {
        let is_rival = {
            let mut sim = self.sim.borrow_mut();
            sim.now += 1;
            let is_due = match sim.kills.get_mut(&self.pid) {
                Some(left) => {
                    *left = left.saturating_sub(1);
                    *left == 0
                }
                None => false,
            };
            if is_due {
                sim.alive.remove(&self.pid);
            }
            if !sim.alive.contains(&self.pid) {
                return Err(SimError::Killed);
            }
            !sim.is_calm && sim.below(12) == 0
        };
        if is_rival && let Ok(mut others) = self.rivals.try_borrow_mut() {
            let at = self.sim.borrow().below(others.len().max(1) as u64) as usize;
            // The list is borrowed meanwhile, so that rivals have no rivals.
            if let Some(rival) = others.get_mut(at) {
                rival.turn();
            }
        }
        let mut sim = self.sim.borrow_mut();
        let result = act(&mut sim, self.clone);
        let state = if result.is_ok() { "" } else { " fails" };
        sim.trace(|| format!("process {} in clone {}: {name}{state}", self.pid, self.clone));
        sim.check();
        result
    }

    fn attempt(record: &AttemptRecord) -> Attempt {
        (record.step.clone(), record.attempt)
    }
}

impl PlanWorld for SimWorld {
    type Error = SimError;
    type Look = SimLook;
    type Claim = SimClaim;
    type Worker = u64;
    type Left = u64;
    type Candidate = (Commit, BTreeSet<Commit>);
    type Lock = SimLock;

    fn is_interruption(error: &SimError) -> bool {
        *error == SimError::Killed
    }

    fn now(&self) -> Timestamp {
        Timestamp::from(jiff::Timestamp::from_second(self.sim.borrow().now).unwrap())
    }

    fn event(&self, _: PlanRunEvent) {}

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

    fn obstacle(&self, _: &SimLook, _: &PlanStep) -> Result<Option<String>, SimError> {
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

    fn blocked_reason(&self, _: &SimLook, _: &PlanStep) -> String {
        String::new()
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
            let new = Claim { pid: self.pid, attempt: number.max(last), nonce, done, is_free: false };
            if let Some(held) = held.filter(|_| !sim.is(Bug::ClaimsAreShared)) {
                let is_elsewhere = |done: &Commit| !sim.clones[clone].has_status(done);
                let is_announced = held.done.is_some() && held.pid != 0;
                if (held.done.as_ref().is_some_and(is_elsewhere) || is_announced) && own.is_none() {
                    return Ok(Taken::Held("done elsewhere".to_owned()));
                }
                if sim.alive.contains(&held.pid) && !held.is_free {
                    return Ok(Taken::Held("held".to_owned()));
                }
            }
            sim.claims.insert(step.to_owned(), new);
            let claim = SimClaim { step: step.to_owned(), nonce };
            Ok(Taken::Claim { claim, attempt: number })
        })
    }

    fn new_record(&self, _: &SimLook, step: &PlanStep, attempt: u64) -> Result<AttemptRecord, SimError> {
        Ok(AttemptRecord {
            step: step.id_text().to_owned(),
            attempt,
            owner: "A".to_owned(),
            started: String::new(),
            onto: None,
            folder: PathBuf::new(),
            branch: None,
            fork: None,
            worker: None,
            claim: String::new(),
            abandoned: false,
        })
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
            Ok(tree.and_then(|tree| tree.work.clone()).map(|work| (work, state.branch.clone())))
        })?;
        found.ok_or_else(|| WorkError::Attempt("no work".to_owned()))
    }

    fn check(&self, _: &SimLook, _: &AttemptRecord, (work, _): &Self::Candidate) -> Result<Checked, SimError> {
        self.effect("check", |sim, _| {
            let passes = work.passes || sim.is(Bug::ChecksPass);
            Ok(if passes { Checked::Passed(Vec::new()) } else { Checked::Failed(Vec::new(), "red".to_owned()) })
        })
    }

    fn propose(
        &self,
        _: &SimLook,
        _: &AttemptRecord,
        _: &Self::Candidate,
        _: Option<&Value>,
        _: &[CommandResult],
    ) -> Result<Option<Proposal>, SimError> {
        Ok(None)
    }

    fn merged_proposal(&self, _: &SimLook, _: &PlanStep) -> Result<Option<(AttemptRecord, Value)>, SimError> {
        Ok(None)
    }

    fn merged(&self, _: &SimLook) -> Result<Self::Candidate, SimError> {
        Err(SimError::Busy)
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

    fn announce(&self, _: &SimLook, claim: &SimClaim, (work, _): &Self::Candidate) -> Result<(), SimError> {
        self.effect("announce", |sim, _| {
            let is_silent = sim.is(Bug::ClaimsEnd);
            let held = sim.claims.get_mut(&claim.step).filter(|held| held.nonce == claim.nonce && !is_silent);
            if let Some(held) = held {
                held.done = Some(work.clone());
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
            if state.branch.contains(work) {
                // A killed run had merged it.
                return Ok(Accepted::Complete { base: None, commit: None });
            }
            if state.branch != *onto {
                return Ok(Accepted::Moved);
            }
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
            let state = &mut sim.clones[clone];
            let attempt = Self::attempt(record);
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

    fn release(&self, claim: SimClaim, is_complete: bool) -> Result<(), SimError> {
        self.effect("release", |sim, clone| {
            let done = sim.clones[clone].branch.iter().find(|commit| commit.step == claim.step).cloned();
            let is_kept = is_complete && !sim.is(Bug::ClaimsEnd);
            if let Some(held) = sim.claims.get_mut(&claim.step).filter(|held| held.nonce == claim.nonce) {
                held.done = done.filter(|_| is_kept);
                held.is_free = held.done.is_none();
                held.pid = 0;
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
        self.effect("repair", |sim, _| {
            let Sim { claims, clones, .. } = sim;
            claims.retain(|_, claim| {
                let is_everywhere = |done: &Commit| clones.iter().all(|clone| clone.has_status(done));
                claim.pid != 0 || !claim.done.as_ref().is_some_and(is_everywhere)
            });
            Ok(())
        })
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

/// A run in one clone.
struct Process {
    run: PlanRun<SimWorld>,
    active: Vec<(ActiveAttempt<SimClaim>, u64)>,
    is_recovered: bool,
    /// Whether nothing is left that it could do.
    is_idle: bool,
}

impl Process {
    /// Does what is due. A killed process does nothing any more.
    fn turn(&mut self) {
        self.is_idle = self.act().unwrap_or(false);
    }

    fn act(&mut self) -> Result<bool, SimError> {
        if !self.is_recovered {
            self.run.recover()?;
            self.is_recovered = true;
        }
        while let Some(at) = self.active.iter().position(|(_, worker)| !self.is_working(*worker)) {
            let (attempt, worker) = self.active.remove(at);
            self.run.collect(attempt, worker)?;
        }
        self.run.settle_waiting(|_, _| true)?;
        let mut held = Vec::new();
        loop {
            let running: Vec<String> = self.active.iter().map(|(attempt, _)| attempt.record.step.clone()).collect();
            match self.run.start_next(&running, &mut held)? {
                Dispatch::Started(attempt, worker) => self.active.push((attempt, worker)),
                Dispatch::Idle(holdup) => {
                    let is_waiting = holdup.waiting.is_some() || !self.run.waiting.is_empty();
                    return Ok(self.active.is_empty() && !is_waiting);
                }
            }
        }
    }

    fn is_working(&self, worker: u64) -> bool {
        self.run.world.sim.borrow().workers[&worker].is_alive
    }
}

struct Simulation {
    sim: Rc<RefCell<Sim>>,
    processes: Processes,
}

impl Simulation {
    fn new(seed: u64, bug: Option<Bug>) -> Self {
        Self { sim: Rc::new(RefCell::new(Sim::new(seed, bug))), processes: Rc::default() }
    }

    fn below(&self, bound: usize) -> usize {
        self.sim.borrow().below(bound as u64) as usize
    }

    fn spawn(&self, clone: usize) {
        let pid = self.sim.borrow_mut().id();
        self.sim.borrow_mut().alive.insert(pid);
        let world = SimWorld { sim: self.sim.clone(), rivals: self.processes.clone(), clone, pid };
        let run = PlanRun::new(world, "p".to_owned(), None, false);
        let process = Process { run, active: Vec::new(), is_recovered: false, is_idle: false };
        self.processes.borrow_mut().push(process);
    }

    /// Lets one process act. The others are its rivals.
    fn turn(&self, at: usize) {
        if at >= self.processes.borrow().len() {
            return;
        }
        let mut process = self.processes.borrow_mut().remove(at);
        process.turn();
        self.processes.borrow_mut().push(process);
    }

    fn is_alive(&self, process: &Process) -> bool {
        self.sim.borrow().alive.contains(&process.run.world.pid)
    }

    fn bury(&self) {
        // A process that is dropped releases its locks.
        let dead = |process: &mut Process| self.is_alive(process);
        let mut processes = std::mem::take(&mut *self.processes.borrow_mut());
        processes.retain_mut(dead);
        *self.processes.borrow_mut() = processes;
    }

    fn event(&self) {
        let count = self.processes.borrow().len();
        let clone = self.below(CLONES);
        let event = self.below(16);
        self.sim.borrow_mut().trace(|| format!("event {event}, clone {clone}"));
        match event {
            0..=5 => self.turn(self.below(count.max(1))),
            6..=8 => {
                let sim = &mut *self.sim.borrow_mut();
                let alive: Vec<u64> = sim.workers.iter().filter(|(_, it)| it.is_alive).map(|(id, _)| *id).collect();
                if !alive.is_empty() {
                    sim.end_worker(alive[sim.below(alive.len() as u64) as usize]);
                }
            }
            9 if count < 3 => self.spawn(clone),
            9 | 10 => {
                if let Some(process) = self.processes.borrow().get(self.below(count.max(1))) {
                    let left = 1 + self.below(40) as u64;
                    self.sim.borrow_mut().kills.insert(process.run.world.pid, left);
                }
            }
            11 => {
                let mut sim = self.sim.borrow_mut();
                let plan = sim.clones[clone].plan.clone();
                sim.clones[clone].buffer = Some(plan);
            }
            12 => {
                let mut sim = self.sim.borrow_mut();
                if let Some(buffer) = sim.clones[clone].buffer.take() {
                    sim.clones[clone].plan = buffer;
                }
            }
            13 => {
                let mut sim = self.sim.borrow_mut();
                sim.clones[clone].is_busy = !sim.clones[clone].is_busy;
            }
            14 => self.sim.borrow_mut().pull(clone, (clone + 1) % CLONES),
            _ => self.sim.borrow_mut().now += 1_000,
        }
        self.bury();
        self.sim.borrow_mut().check();
    }

    /// Nothing disturbs any more: everybody finishes, and the team pulls.
    fn calm(&self) {
        {
            let mut sim = self.sim.borrow_mut();
            sim.is_calm = true;
            sim.kills.clear();
            sim.clones.iter_mut().for_each(|clone| clone.is_busy = false);
            // The processes of the chaos end.
            sim.alive.clear();
        }
        self.bury();
        for round in 0..3 {
            for clone in 0..CLONES {
                self.spawn(clone);
                self.finish(clone);
                self.sim.borrow_mut().pull((clone + 1) % CLONES, clone);
                self.sim.borrow_mut().check();
            }
            if round == 2 {
                self.check_settled();
            }
        }
    }

    /// Lets the only process finish.
    fn finish(&self, clone: usize) {
        for _ in 0..TURNS {
            self.turn(0);
            let mut sim = self.sim.borrow_mut();
            sim.now += 600;
            let own: Vec<u64> = sim.workers.iter().filter(|(_, it)| it.is_alive).map(|(id, _)| *id).collect();
            own.into_iter().for_each(|id| sim.end_worker(id));
            drop(sim);
            if self.processes.borrow()[0].is_idle {
                self.sim.borrow_mut().alive.clear();
                self.bury();
                return;
            }
        }
        self.sim.borrow_mut().violated(format!("the run in clone {clone} does not end"));
        self.sim.borrow_mut().alive.clear();
        self.bury();
    }

    /// All attempts are concluded, and each step is complete, or a person or another step is in its way.
    fn check_settled(&self) {
        let mut sim = self.sim.borrow_mut();
        let mut found = Vec::new();
        for (at, clone) in sim.clones.iter().enumerate() {
            if let Some(record) = clone.records.keys().next() {
                found.push(format!("no work is lost: {record:?} is never concluded in clone {at}"));
            }
            let steps: Vec<PlanStep> =
                sim.steps.iter().map(|step| PlanStep { status: clone.plan[step.id_text()], ..step.clone() }).collect();
            let states = StepStates::new(&steps);
            for (index, step) in steps.iter().enumerate() {
                let history = clone.history(step.id_text());
                if states.is_ready(index) && history.may_try(RETRIES) {
                    found.push(format!("{} is ready in clone {at}, and nobody does it", step.id_text()));
                }
                let is_done = clone.branch.iter().any(|commit| commit.step == step.id_text());
                if is_done && step.status != StepStatus::Complete {
                    found.push(format!("{} is {:?} in clone {at}, although it is done", step.id_text(), step.status));
                }
            }
        }
        // That of a killed run is free. If it says that the step is about to be complete, only its time to live ends it, and the
        // step is complete everywhere.
        let is_open = |step: &String| sim.clones.iter().any(|clone| clone.plan[step] != StepStatus::Complete);
        if sim.claims.iter().any(|(step, claim)| claim.done.is_some() && claim.pid != 0 && is_open(step)) {
            found.push("a claim on a step that is about to be complete stays".to_owned());
        }
        if let Some(first) = found.into_iter().next() {
            sim.violated(first);
        }
    }

    /// The first violation, and the events before it if they are wanted.
    fn run(seed: u64, bug: Option<Bug>, is_traced: bool) -> Option<(String, Vec<String>)> {
        let simulation = Self::new(seed, bug);
        simulation.sim.borrow_mut().trace = is_traced.then(Vec::new);
        for _ in 0..EVENTS {
            simulation.event();
        }
        simulation.calm();
        // The processes refer to the list of processes.
        simulation.processes.borrow_mut().clear();
        let mut sim = simulation.sim.borrow_mut();
        let trace = sim.trace.take().unwrap_or_default();
        sim.violation.take().map(|violation| (violation, trace))
    }
}

fn assert_holds(seeds: impl Iterator<Item = u64>) {
    for seed in seeds {
        if let Some((violation, _)) = Simulation::run(seed, None, false) {
            let (_, trace) = Simulation::run(seed, None, true).expect("a seed decides everything");
            panic!("seed {seed}: {violation}\n{}", trace.join("\n"));
        }
    }
}

#[test]
fn the_guarantees_hold_whatever_happens() {
    assert_holds(0..400);
}

#[test]
#[ignore = "an hour; run by .ci/nightly"]
fn nightly_simulation() {
    assert_holds(400..100_000);
}

#[test]
fn each_seeded_bug_is_found() {
    for bug in BUGS {
        let found = (0..2_000).find_map(|seed| Simulation::run(seed, Some(bug), false).map(|(what, _)| what));
        assert!(found.is_some(), "{bug:?}");
    }
}
