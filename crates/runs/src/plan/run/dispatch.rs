//! Starts the next attempt, or says why none can start.

use super::super::StepStates;
use super::{ActiveAttempt, ClaimFor, PersonRequest, PlanRun, PlanWorld, Taken, Waiting, step_named};
use crate::exec::ExecEvent;
use canonry_model::canon::plan::{PlanStep, StepStatus};
use canonry_model::canon::timestamp::Timestamp;
use std::borrow::Cow;
use std::collections::HashSet;

/// Result of a look for the next attempt.
pub enum Dispatch<W: PlanWorld> {
    /// The holdup is that of the steps before it.
    Started { attempt: Box<ActiveAttempt<W::Claim>>, worker: W::Worker, holdup: Holdup },
    /// Nothing can start now.
    Idle(Holdup),
}

/// Reasons why the remaining steps cannot start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holdup {
    /// A person is needed for these steps, with the reasons.
    pub person: Vec<(String, PersonRequest)>,
    /// Someone else works on these steps, or has done them, with the reasons.
    pub elsewhere: Vec<(String, String)>,
    /// The earliest end of a usage limit.
    pub waiting: Option<Timestamp>,
    /// The attempts of the budget are used up.
    pub budget: bool,
    /// A step that waits for others.
    pub not_ready: Option<String>,
    /// Number of steps that are not complete.
    pub open: usize,
}

/// Answer to the question for the next step.
enum Next {
    Start {
        step: String,
    },
    /// The plan does not say what an attempt decided about a step.
    Restore {
        step: String,
        decision: Decision,
    },
    Nothing,
}

/// Decision of an attempt about its step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    Complete(u64),
    /// Its pull request waits for a person.
    Proposed(u64),
}

impl Decision {
    /// The status of the step.
    pub fn status(self) -> StepStatus {
        match self {
            Self::Complete(_) => StepStatus::Complete,
            Self::Proposed(_) => StepStatus::Blocked,
        }
    }

    pub(super) fn attempt(self) -> u64 {
        let (Self::Complete(attempt) | Self::Proposed(attempt)) = self;
        attempt
    }

    /// For people.
    pub fn describe(self) -> String {
        match self {
            Self::Complete(attempt) => format!("complete since attempt {attempt}"),
            Self::Proposed(attempt) => format!("attempt {attempt} waits for its pull request"),
        }
    }
}

impl<W: PlanWorld> PlanRun<W> {
    /// Starts the next attempt that plan and budget allow. `running` are the steps whose workers are active; `held`
    /// collects the steps that others hold, so that they are asked for once.
    ///
    /// # Errors
    /// Plan and repository cannot be used now, or the run is stopped.
    pub fn start_next(
        &mut self,
        running: &[String],
        held: &mut Vec<(String, String)>,
    ) -> Result<Dispatch<W>, W::Error> {
        loop {
            let look = self.world.look()?;
            self.world.require_branch(&look)?;
            let mut holdup = Holdup { elsewhere: held.clone(), ..Holdup::default() };
            let step = match self.next(&look, running, held, &mut holdup)? {
                Next::Nothing => return Ok(Dispatch::Idle(holdup)),
                Next::Start { step } => step,
                Next::Restore { step, decision } => {
                    self.restore(&look, &step, decision)?;
                    continue;
                }
            };
            let Some(step) = step_named(self.world.steps(&look), &step) else { continue };
            match self.start(&look, step) {
                Ok(Start::Started(attempt, worker)) => {
                    return Ok(Dispatch::Started { attempt, worker, holdup });
                }
                Ok(Start::Recovered) => {}
                Ok(Start::Held(reason)) => held.push((step.id_text().to_owned(), reason)),
                Err(error) if W::is_interruption(&error) => return Err(error),
                Err(error) => {
                    self.unstartable.insert(step.id_text().to_owned(), error.to_string());
                }
            }
        }
    }

    fn next(
        &self,
        look: &W::Look,
        running: &[String],
        held: &[(String, String)],
        holdup: &mut Holdup,
    ) -> Result<Next, W::Error> {
        let mut steps = Cow::Borrowed(self.world.steps(look));
        let waiting = self.waiting.iter().map(|waiting| waiting.attempt.record.step.as_str());
        let own: HashSet<&str> = running.iter().map(String::as_str).chain(waiting).collect();
        // An editor may have saved the plan as it was before.
        let is_reset = |step: &PlanStep| own.contains(step.id_text()) && step.status != StepStatus::InProgress;
        if steps.iter().any(is_reset) {
            let reset = steps.to_mut().iter_mut().filter(|step| is_reset(step));
            reset.for_each(|step| step.status = StepStatus::InProgress);
        }
        let states = StepStates::new(&steps);
        let now = self.world.now();
        let is_stopped = self.fail_fast && steps.iter().any(|step| step.status == StepStatus::Blocked);
        for (at, step) in steps.iter().enumerate() {
            let id = step.id_text();
            if self.only.as_deref().is_some_and(|only| only != id) || step.status == StepStatus::Complete {
                continue;
            }
            holdup.open += 1;
            if step.status == StepStatus::Pending && !states.is_ready(at) {
                holdup.not_ready = Some(id.to_owned());
                continue;
            }
            if !own.contains(id)
                && let Some(decision) = self.decision(look, step)?
                && decision.status() != step.status
            {
                return Ok(Next::Restore { step: id.to_owned(), decision });
            }
            match step.status {
                StepStatus::Pending => {}
                StepStatus::Blocked => {
                    holdup.person.push((id.to_owned(), self.world.blocked_reason(look, step)));
                    continue;
                }
                _ => {
                    if !own.contains(id) {
                        let free = format!("`canonry run set {} {id} pending`", self.plan);
                        let reason = format!("in progress outside this run; if nobody works on it, {free} frees it");
                        holdup.elsewhere.push((id.to_owned(), reason));
                    }
                    continue;
                }
            }
            if is_stopped || held.iter().any(|(one, _)| one == id) {
                continue;
            }
            if let Some(reason) = self.unstartable.get(id) {
                holdup.person.push((id.to_owned(), reason.clone().into()));
                continue;
            }
            let role = role(step);
            let retries = self.world.retries(role);
            let history = self.world.history(look, step);
            if let Some(until) = history.waiting_until.filter(|until| *until > now) {
                holdup.waiting = Some(holdup.waiting.map_or(until, |earliest| earliest.min(until)));
                continue;
            }
            if !history.may_try(retries) {
                let attempts =
                    if history.counted == 1 { "1 attempt".to_owned() } else { format!("{} attempts", history.counted) };
                let reason = format!("{attempts} made, and {role} has {retries} retries");
                holdup.person.push((id.to_owned(), reason.into()));
                continue;
            }
            if let Some(request) = self.world.obstacle(look, step)? {
                holdup.person.push((id.to_owned(), request));
                continue;
            }
            if !self.world.has_room(running.len()) {
                return Ok(Next::Nothing);
            }
            if !self.world.has_attempts() {
                holdup.budget = true;
                return Ok(Next::Nothing);
            }
            return Ok(Next::Start { step: id.to_owned() });
        }
        Ok(Next::Nothing)
    }

    /// The decision of an attempt about a step, whatever the plan says: an editor may have saved it as it was before, or a later
    /// attempt was interrupted.
    ///
    /// # Errors
    /// The repository cannot be read.
    pub fn decision(&self, look: &W::Look, step: &PlanStep) -> Result<Option<Decision>, W::Error> {
        let history = self.world.history(look, step);
        if let Some(success) = history.success
            && self.world.is_done(look, step, success)?
        {
            return Ok(Some(Decision::Complete(success)));
        }
        Ok(history.proposed.map(Decision::Proposed))
    }

    /// Corrects a plan that does not say what was decided.
    fn restore(&self, look: &W::Look, step: &str, decision: Decision) -> Result<(), W::Error> {
        let world = &self.world;
        let status = decision.status();
        let mut lock = world.lock(look)?;
        world.set_status(&mut lock, step, status)?;
        drop(lock);
        if world.committed_status(look, step)? != status
            && let Some(restored) = step_named(world.steps(look), step)
        {
            let record = world.new_record(look, restored, decision.attempt())?;
            world.publish(&record, status)?;
        }
        let reopen = format!("`canonry run set {} {step} pending --reason TEXT` reopens it", self.plan);
        let what = decision.describe();
        world.event(ExecEvent::Notice(format!("{step}: {what}, although the plan did not say it; {reopen}")));
        Ok(())
    }

    fn start(&mut self, look: &W::Look, step: &PlanStep) -> Result<Start<W>, W::Error> {
        let id = step.id_text();
        // A run that was killed meanwhile left its worker.
        if let Some(left) = self.world.records()?.iter().find(|record| record.step == id) {
            let is_recovered = self.recover_attempt(left)?;
            return Ok(if is_recovered { Start::Recovered } else { Start::Held("another run has it".to_owned()) });
        }
        let next = ClaimFor::Next(1 + self.world.last_attempt(look, step)?);
        let (claim, attempt) = match self.world.claim(look, id, next)? {
            Taken::Claim { claim, attempt } => (claim, attempt),
            Taken::Held(reason) | Taken::Decided(reason) => return Ok(Start::Held(reason)),
        };
        let mut record = self.world.new_record(look, step, attempt)?;
        record.claim = self.world.token(&claim);
        self.world.save_record(&record)?;
        if !self.world.begin_step(id)? {
            self.world.close_record(id, attempt)?;
            self.world.release(claim, false)?;
            return Ok(Start::Held("no longer ready".to_owned()));
        }
        match self.world.launch(look, step, &mut record) {
            Ok(worker) => Ok(Start::Started(Box::new(ActiveAttempt { record, claim }), worker)),
            Err(error) => {
                self.settle(ActiveAttempt { record, claim }, None)?;
                Err(error)
            }
        }
    }

    /// Records the end of an attempt whose worker no longer runs. If the repository does not allow it now, the result waits.
    ///
    /// # Errors
    /// The run is stopped.
    pub fn collect(&mut self, attempt: ActiveAttempt<W::Claim>, left: W::Left) -> Result<(), W::Error> {
        let step = attempt.record.step.clone();
        let number = attempt.record.attempt;
        if let Some(error) = self.settle(attempt, Some(left))? {
            let notice = format!("{step}: attempt {number} has ended; its result waits: {error}");
            self.world.event(ExecEvent::Notice(notice));
        }
        Ok(())
    }

    /// Tries again to record the results that wait. `keeps_claim` renews a claim, and says whether it still holds.
    ///
    /// # Errors
    /// The run is stopped.
    pub fn settle_waiting(
        &mut self,
        mut keeps_claim: impl FnMut(&W, &mut ActiveAttempt<W::Claim>) -> bool,
    ) -> Result<(), W::Error> {
        for mut waiting in std::mem::take(&mut self.waiting) {
            if keeps_claim(&self.world, &mut waiting.attempt) {
                self.settle(waiting.attempt, waiting.left)?;
            }
        }
        Ok(())
    }

    /// Records the end of an attempt, and returns why that has to wait: a merge is in progress, for example, or the plan is
    /// half saved.
    fn settle(
        &mut self,
        attempt: ActiveAttempt<W::Claim>,
        left: Option<W::Left>,
    ) -> Result<Option<W::Error>, W::Error> {
        let record = &attempt.record;
        let end = match &left {
            Some(left) => self.world.worker_end(record, left),
            None => Ok(super::WorkerEnd::Interrupted),
        };
        match end.and_then(|end| self.conclude(record, &attempt.claim, end)) {
            Ok(end) => {
                let ActiveAttempt { record, claim } = attempt;
                if left.is_some() {
                    let step = record.step.clone();
                    self.world.event(ExecEvent::Ended { step, attempt: record.attempt, end: end.clone() });
                }
                self.clean_up(&record, claim, &end)?;
                Ok(None)
            }
            Err(error) if W::is_interruption(&error) => Err(error),
            Err(error) => {
                self.waiting.push(Waiting { attempt, left, error: error.clone() });
                Ok(Some(error))
            }
        }
    }
}

/// Whether an attempt was started.
enum Start<W: PlanWorld> {
    Started(Box<ActiveAttempt<W::Claim>>, W::Worker),
    /// An attempt of a killed run came to its end first.
    Recovered,
    /// Someone else works on the step, or has done it, as this says.
    Held(String),
}

fn role(step: &PlanStep) -> &str {
    step.owner.as_ref().map_or("", |owner| &owner.text)
}
