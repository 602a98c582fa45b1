//! One effect of a simulated process: a kill or a rival may come before it, and the guarantees are checked after it.

use super::*;

pub(super) struct SimWorld {
    pub(super) sim: Rc<RefCell<Sim>>,
    /// The processes that act between two effects of this one.
    pub(super) rivals: Processes,
    pub(super) clone: usize,
    pub(super) pid: u64,
}

impl SimWorld {
    /// The world of a new process, or of a person.
    pub(super) fn new(sim: &Rc<RefCell<Sim>>, rivals: &Processes, clone: usize) -> Self {
        let pid = sim.borrow_mut().id();
        sim.borrow_mut().alive.insert(pid);
        Self { sim: sim.clone(), rivals: rivals.clone(), clone, pid }
    }

    /// Something happens before an effect: a kill, a rival, or nothing.
    pub(super) fn effect<T>(
        &self,
        name: &str,
        act: impl FnOnce(&mut Sim, usize) -> Result<T, SimError>,
    ) -> Result<T, SimError> {
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
            if is_due && sim.people.contains(&self.pid) {
                sim.kills.remove(&self.pid);
                return Err(SimError::Killed);
            }
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
        let before = sim.trace.as_ref().map(|_| sim.summary());
        let result = act(&mut sim, self.clone);
        let state = if result.is_ok() { "" } else { " fails" };
        sim.trace(|| format!("process {} in clone {}: {name}{state}", self.pid, self.clone));
        before.into_iter().for_each(|before| sim.trace_changes(&before));
        sim.check();
        result
    }

    pub(super) fn attempt(record: &AttemptRecord) -> Attempt {
        (record.step.clone(), record.attempt)
    }
}
