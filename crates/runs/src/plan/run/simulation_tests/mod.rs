//! Simulated runs of one plan in two clones: scripted workers, people who do steps by hand, free steps and merge pull requests, kills between
//! any two effects, rivals, stale saves of the plan, usage limits, busy repositories and pulls, in an order that a seed decides. The guarantees of runs are checked after each
//! effect, and at the end everything must be settled.
//!
//! `BUGS` breaks one guarantee each, and the simulation has to find every one of them.

mod bug;
mod clone_state;
mod effect;
mod held;
mod person;
mod process;
mod world;

use super::*;
use crate::exec::ExecEvent;
use crate::plan::StepStates;
use bug::{BUGS, Bug};
use canonry_model::canon::Blob;
use canonry_model::canon::plan::Plan;
use canonry_model::canon::report::{AttemptCause, AttemptOutcome, AttemptResult, StepAttempt};
use canonry_model::canon::schema::Schemas;
use canonry_text::{RepoPath, Source, Span};
use clone_state::{CloneState, history};
use effect::SimWorld;
use person::Person;
use process::Process;
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

/// The steps: a diamond, a step that runs alone, two that share a file, and one with a pull request.
const PLAN: &str = "steps:
  - {id: a, owner: A, parallel: true}
  - {id: b, owner: A, parallel: true, deps: [a], files: [shared]}
  - {id: c, owner: A, parallel: true, deps: [a], files: [shared]}
  - {id: d, owner: A, parallel: true, deps: [b, c]}
  - {id: alone, owner: A}
  - {id: e, owner: A, parallel: true}
  - {id: p, owner: P, parallel: true}
";
const RETRIES: u32 = 1;
const BUDGET: u64 = 6;
const CLONES: usize = 2;
/// Events before the world becomes calm.
const EVENTS: usize = 120;
/// More turns than a calm world needs.
const TURNS: usize = 400;

/// An attempt of a clone.
type Attempt = (String, u64);
/// The decisions about a step that a clone has committed: the last commit of its branch in the real repository.
type Decisions = BTreeMap<Attempt, StepStatus>;

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
    /// The decision about the step that waits to be shared.
    done: Option<Decisions>,
    /// Earlier decisions, after which the step was reopened.
    follows: Option<Decisions>,
    /// Whether it was released, and tells others only the number of the last attempt.
    is_free: bool,
}

struct Sim {
    steps: Vec<PlanStep>,
    random: Cell<u64>,
    now: i64,
    bug: Option<Bug>,
    is_calm: bool,
    clones: Vec<CloneState>,
    /// The statuses and reports in the last commit that both clones have.
    merge_base: BTreeMap<String, StepStatus>,
    published_base: BTreeMap<Attempt, (StepStatus, Value)>,
    /// Work with a pull request.
    proposed: BTreeSet<Commit>,
    claims: BTreeMap<String, Claim>,
    workers: BTreeMap<u64, Worker>,
    alive: BTreeSet<u64>,
    /// People, who go on after one of their commands was killed.
    people: BTreeSet<u64>,
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
        let pending: BTreeMap<String, StepStatus> =
            steps.iter().map(|step| (step.id_text().to_owned(), StepStatus::Pending)).collect();
        let clone = || CloneState { plan: pending.clone(), committed: pending.clone(), ..CloneState::default() };
        Self {
            clones: (0..CLONES).map(|_| clone()).collect(),
            merge_base: pending,
            published_base: BTreeMap::new(),
            proposed: BTreeSet::new(),
            steps,
            random: Cell::new(seed),
            now: 1_767_225_600,
            bug,
            is_calm: false,
            claims: BTreeMap::new(),
            workers: BTreeMap::new(),
            alive: BTreeSet::new(),
            people: BTreeSet::new(),
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

    /// The state of each step, for the trace.
    fn summary(&self) -> Vec<String> {
        let in_clone = |step: &str, clone: &CloneState| {
            let records = clone.records.keys().filter(|(one, _)| one == step).map(|(_, attempt)| attempt);
            let reports = clone.reports.iter().filter(|((one, _), _)| one == step);
            let reports = reports.map(|((_, attempt), report)| (attempt, &report["outcome"], &report["cause"]));
            format!(
                "{:?} (committed {:?}), records {:?}, reports {:?}",
                clone.plan[step],
                clone.committed[step],
                records.collect::<Vec<_>>(),
                reports.collect::<Vec<_>>()
            )
        };
        let steps = self.steps.iter().map(PlanStep::id_text);
        let line = |step: &str| {
            let clones: Vec<String> = self.clones.iter().map(|clone| in_clone(step, clone)).collect();
            format!("    {step}: {:?}\n        {}", self.claims.get(step), clones.join("\n        "))
        };
        steps.map(line).collect()
    }

    /// Traces the steps whose state is another one.
    fn trace_changes(&mut self, before: &[String]) {
        for line in self.summary().into_iter().filter(|line| !before.contains(line)) {
            self.trace(|| line);
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
                // Others may have tried, too, and nobody knew it before the team pulled. People may try as often as they want.
                let is_worker = |id: u64| !self.people.contains(&self.workers[&id].pid);
                let is_own =
                    |attempt: &Attempt| attempt.0 == *step && self.worker_of(at, attempt).is_some_and(is_worker);
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
        // A merged pull request changes the report.
        let is_proposed = |report: &Value| report["cause"] == AttemptCause::PullRequest.as_str();
        for (attempt, report) in self.clones[0].reports.iter().filter(|(_, report)| !is_proposed(report)) {
            if self.clones[1].reports.get(attempt).is_some_and(|other| other != report && !is_proposed(other)) {
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

struct Simulation {
    sim: Rc<RefCell<Sim>>,
    processes: Processes,
    /// One in each clone.
    people: Vec<Person>,
}

impl Simulation {
    fn new(seed: u64, bug: Option<Bug>) -> Self {
        let sim = Rc::new(RefCell::new(Sim::new(seed, bug)));
        let processes = Processes::default();
        let people = (0..CLONES).map(|clone| Person::new(SimWorld::new(&sim, &processes, clone))).collect();
        let simulation = Self { sim, processes, people };
        let people = simulation.people.iter().map(|person| person.run.world.pid);
        simulation.sim.borrow_mut().people.extend(people);
        simulation
    }

    fn below(&self, bound: usize) -> usize {
        self.sim.borrow().below(bound as u64) as usize
    }

    fn spawn(&self, clone: usize) {
        let world = SimWorld::new(&self.sim, &self.processes, clone);
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

    fn event(&mut self) {
        let count = self.processes.borrow().len();
        let clone = self.below(CLONES);
        let event = self.below(20);
        self.sim.borrow_mut().trace(|| format!("event {event}, clone {clone}"));
        let before = self.sim.borrow().trace.as_ref().map(|_| self.sim.borrow().summary());
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
                let left = 1 + self.below(40) as u64;
                let processes = self.processes.borrow();
                let people = self.people.iter().map(|person| person.run.world.pid);
                let pids: Vec<u64> = processes.iter().map(|process| process.run.world.pid).chain(people).collect();
                let pid = pids[self.below(pids.len())];
                self.sim.borrow_mut().kills.insert(pid, left);
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
                    sim.clones[clone].is_edited = true;
                }
            }
            13 => {
                let mut sim = self.sim.borrow_mut();
                sim.clones[clone].is_busy = !sim.clones[clone].is_busy;
            }
            14 => self.sim.borrow_mut().pull(clone, (clone + 1) % CLONES),
            15 | 16 => self.people[clone].turn(),
            17 => self.sim.borrow_mut().merge_proposals(clone),
            18 => self.people[clone].free(),
            _ => self.sim.borrow_mut().now += 1_000,
        }
        before.into_iter().for_each(|before| self.sim.borrow_mut().trace_changes(&before));
        self.bury();
        self.sim.borrow_mut().check();
    }

    /// Nothing disturbs any more: everybody finishes, and the team pulls.
    fn calm(&mut self) {
        {
            let mut sim = self.sim.borrow_mut();
            sim.is_calm = true;
            sim.kills.clear();
            for clone in &mut sim.clones {
                clone.is_busy = false;
                // People throw their old saves away.
                if clone.is_edited {
                    clone.plan = clone.committed.clone();
                }
            }
            // The processes of the chaos end.
            sim.alive = sim.people.clone();
        }
        self.bury();
        self.people.iter_mut().for_each(Person::settle);
        self.sim.borrow_mut().alive.clear();
        self.sim.borrow_mut().expire_claims();
        for round in 0..4 {
            for clone in 0..CLONES {
                self.spawn(clone);
                self.finish(clone);
                self.sim.borrow_mut().merge_proposals(clone);
                self.sim.borrow_mut().pull((clone + 1) % CLONES, clone);
                self.sim.borrow_mut().check();
            }
            if round == 3 {
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
            if clone.plan != clone.committed {
                found.push(format!("git refuses every pull: the plan of clone {at} stays changed"));
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
        let mut simulation = Self::new(seed, bug);
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
#[ignore = "minutes; run by .ci/nightly"]
fn nightly_simulation() {
    // Another start for a longer search.
    let first = std::env::var("CANONRY_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(400);
    assert_holds(first..first + 100_000);
}

#[test]
fn each_seeded_bug_is_found() {
    for bug in BUGS {
        let found = (0..2_000).find_map(|seed| Simulation::run(seed, Some(bug), false).map(|(what, _)| what));
        assert!(found.is_some(), "{bug:?}");
    }
}
