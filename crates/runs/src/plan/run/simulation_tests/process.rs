//! A simulated process that executes the plan.

use super::effect::SimWorld;
use super::held::SimClaim;
use super::*;

/// A run in one clone.
pub(super) struct Process {
    pub(super) run: PlanRun<SimWorld>,
    pub(super) active: Vec<(ActiveAttempt<SimClaim>, u64)>,
    pub(super) is_recovered: bool,
    /// Whether nothing is left that it could do.
    pub(super) is_idle: bool,
}

impl Process {
    /// Does what is due. A killed process does nothing any more.
    pub(super) fn turn(&mut self) {
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
                Dispatch::Started { attempt, worker, .. } => self.active.push((*attempt, worker)),
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
