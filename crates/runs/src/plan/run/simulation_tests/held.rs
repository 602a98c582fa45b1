//! Parts of the world that a simulated run holds.

use super::*;

pub(super) struct SimLook {
    pub(super) steps: Vec<PlanStep>,
    pub(super) histories: BTreeMap<String, AttemptHistory>,
}

pub(super) struct SimLock {
    pub(super) sim: Rc<RefCell<Sim>>,
    pub(super) clone: usize,
}

impl Drop for SimLock {
    fn drop(&mut self) {
        self.sim.borrow_mut().clones[self.clone].locked_by = None;
    }
}

#[derive(Clone, Debug)]
pub(super) struct SimClaim {
    pub(super) step: String,
    pub(super) attempt: u64,
    pub(super) nonce: u64,
    pub(super) is_decided: bool,
}
