//! A simulated person, or a session, who does steps by hand: claims one, works, and runs `canonry run finish`.

use super::effect::SimWorld;
use super::held::SimClaim;
use super::*;
use crate::exec::AttemptEnd;

pub(super) struct Person {
    pub(super) run: PlanRun<SimWorld>,
    task: Option<Task>,
}

/// A step in hand.
struct Task {
    record: AttemptRecord,
    claim: SimClaim,
    /// The person as a worker.
    worker: u64,
}

impl Person {
    pub(super) fn new(world: SimWorld) -> Self {
        Self { run: PlanRun::new(world, "p".to_owned(), None, false), task: None }
    }

    /// Begins a step, or tries to finish it. A command that is killed is run again later.
    pub(super) fn turn(&mut self) {
        let (Ok(()) | Err(SimError::Killed | SimError::Busy)) =
            if self.task.is_some() { self.finish() } else { self.begin() };
    }

    /// Frees a step in progress, as `canonry run set STEP pending` does. One that is killed is not repeated.
    pub(super) fn free(&mut self) {
        let (Ok(()) | Err(SimError::Killed | SimError::Busy)) = self.set_pending();
    }

    fn set_pending(&self) -> Result<(), SimError> {
        let world = &self.run.world;
        let look = world.look()?;
        let in_progress: Vec<&PlanStep> =
            world.steps(&look).iter().filter(|step| step.status == StepStatus::InProgress).collect();
        if in_progress.is_empty() {
            return Ok(());
        }
        let at = world.sim.borrow().below(in_progress.len() as u64) as usize;
        if self.run.decision(&look, in_progress[at])?.is_some() {
            return Ok(());
        }
        let step = in_progress[at].id_text();
        let _lock = world.lock(&look)?;
        world.effect("set pending", |sim, clone| {
            let state = &mut sim.clones[clone];
            if state.plan[step] != StepStatus::InProgress {
                return Ok(());
            }
            let records = state.records.iter_mut().filter(|((one, _), _)| one == step);
            if let Some((_, last)) = records.max_by_key(|((_, attempt), _)| *attempt) {
                last.abandoned = true;
            }
            state.plan.insert(step.to_owned(), StepStatus::Pending);
            state.is_edited = true;
            Ok(())
        })
    }

    /// Finishes the work, or gives it up, and resets what a killed command began.
    pub(super) fn settle(&mut self) {
        for _ in 0..TURNS {
            let Some(task) = &self.task else {
                let clone = &mut self.run.world.sim.borrow_mut().clones[self.run.world.clone];
                for (step, status) in &mut clone.plan {
                    if *status == StepStatus::InProgress && !clone.records.keys().any(|(one, _)| one == step) {
                        *status = clone.committed[step];
                    }
                }
                return;
            };
            let worker = task.worker;
            self.run.world.sim.borrow_mut().end_worker(worker);
            self.turn();
        }
        self.run.world.sim.borrow_mut().violated("a person cannot finish".to_owned());
    }

    fn begin(&mut self) -> Result<(), SimError> {
        let world = &self.run.world;
        let look = world.look()?;
        let states = StepStates::new(world.steps(&look));
        let ready: Vec<&PlanStep> = world
            .steps(&look)
            .iter()
            .enumerate()
            .filter(|(at, _)| states.is_ready(*at))
            .map(|(_, step)| step)
            .collect();
        if ready.is_empty() {
            return Ok(());
        }
        let at = world.sim.borrow().below(ready.len() as u64) as usize;
        let step = ready[at].id_text();
        if self.run.decision(&look, ready[at])?.is_some() {
            return Ok(());
        }
        let next = ClaimFor::Next(world.last_attempt(&look, ready[at])? + 1);
        let Taken::Claim { claim, attempt } = world.claim(&look, step, next)? else { return Ok(()) };
        for left in world.records()?.iter().filter(|left| left.step == step) {
            world.end_orphan(left)?;
        }
        if !world.begin_step(step)? {
            return world.release(claim, false);
        }
        let record = world.new_record(&look, ready[at], attempt)?;
        let attempt = SimWorld::attempt(&record);
        let worker = world.effect("work by hand", |sim, clone| {
            let script = match sim.script() {
                script @ (Script::Bad | Script::Conflicting) => script,
                _ => Script::Good,
            };
            sim.clones[clone]
                .trees
                .insert(attempt.clone(), Tree { work: None, is_committed: true, is_conflicting: false });
            let id = sim.id();
            let worker = Worker { pid: world.pid, clone, attempt, script, is_alive: true, has_ended: false };
            sim.workers.insert(id, worker);
            Ok(id)
        })?;
        self.task = Some(Task { record, claim, worker });
        Ok(())
    }

    fn finish(&mut self) -> Result<(), SimError> {
        let world = &self.run.world;
        let task = self.task.as_ref().expect("the caller has checked it");
        if world.sim.borrow().workers[&task.worker].is_alive {
            return Ok(());
        }
        let Task { record, claim, .. } = task;
        let report = json!({"step_id": record.step, "outcome": "success", "details": "d"});
        let end = self.run.finish(record, claim.clone(), report)?;
        if matches!(end, AttemptEnd::Unfinished { .. } | AttemptEnd::Fenced) {
            self.give_up(&end)?;
        } else {
            self.task = None;
        }
        Ok(())
    }

    /// Gives the step back, as `canonry run set STEP pending` and `canonry run release` do.
    fn give_up(&mut self, end: &AttemptEnd) -> Result<(), SimError> {
        let Task { record, claim, .. } = self.task.as_ref().expect("the caller has checked it");
        let attempt = SimWorld::attempt(record);
        let goes_on = self.run.world.effect("give up", |sim, clone| {
            let state = &mut sim.clones[clone];
            let is_own = sim.claims.get(&claim.step).is_some_and(|held| held.nonce == claim.nonce);
            let is_merged = state.branch.iter().any(|one| (one.step.clone(), one.attempt) == attempt);
            // An older plan hides that the branch has the work.
            if matches!(end, AttemptEnd::Fenced) && is_own && is_merged {
                state.plan.insert(claim.step.clone(), StepStatus::InProgress);
                return Ok(true);
            }
            if state.plan[&claim.step] == StepStatus::InProgress {
                state.plan.insert(claim.step.clone(), state.committed[&claim.step]);
            }
            if let Some(held) = sim.claims.get_mut(&claim.step).filter(|_| is_own) {
                held.is_free = held.done.is_none();
                held.pid = 0;
            }
            Ok(false)
        })?;
        if !goes_on {
            self.task = None;
        }
        Ok(())
    }
}
