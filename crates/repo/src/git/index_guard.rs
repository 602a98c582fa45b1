//! Takes the lock on an index so that a later run can remove it if this process is killed.

use super::commit::CommitError;
use super::commit::index::HeldIndex;
use super::commit::own_locks::{IndexLockRecord, record_index_lock};

/// Held by the one process that changes the index of a work tree for a plan.
pub(super) struct IndexGuard(IndexLockRecord);

impl IndexGuard {
    /// Waits for other processes with a guard. Removes the lock on the index if a killed one left it.
    pub fn acquire(repo: &gix::Repository) -> Result<Self, CommitError> {
        record_index_lock(repo).map(Self)
    }

    /// Takes the lock on the index.
    pub fn hold_index(&self, repo: &gix::Repository) -> Result<HeldIndex, CommitError> {
        HeldIndex::acquire_recorded(repo, &self.0)
    }
}
