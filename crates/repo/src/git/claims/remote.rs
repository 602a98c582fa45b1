//! Claims that several clones share: the remote's reference decides, and this clone's reference follows it.

use crate::exec::git::GitError;
use crate::fs::lock::HeldLock;
use crate::git::remote::{Pushed, Remote, RemoteError};
use canonry_runs::plan::ClaimName;
use canonry_runs::plan::claim_name::CLAIMS;
use gix::ObjectId;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The name of the lock below `canonry/`.
const LOCK: &str = "claims.lock";
/// Maximum wait for other processes of this clone that exchange claims.
const LOCK_WAIT: Duration = Duration::from_secs(120);

/// The remote that decides about claims. While it exists, no other process of this clone exchanges claims: a fetch must
/// not overwrite what a push has just set.
#[derive(Debug)]
pub struct ClaimRemote<'a> {
    remote: Remote<'a>,
    _lock: HeldLock,
}

impl<'a> ClaimRemote<'a> {
    /// Waits for other processes of this clone. If `cancel` is already true, the caller cleans up after an interruption:
    /// then only the timeout ends git.
    ///
    /// # Errors
    /// [`RemoteError::Busy`] if they do not finish, [`RemoteError::Lock`] if the lock cannot be used.
    pub fn open(repo: &'a gix::Repository, name: &'a str, cancel: &'a AtomicBool) -> Result<Self, RemoteError> {
        let remote = Remote::new(repo, name, cancel);
        let cancel = remote.cancel();
        let path = repo.common_dir().join("canonry").join(LOCK);
        let started = Instant::now();
        let is_cancelled = || cancel.load(Ordering::Relaxed);
        let lock = HeldLock::take_until(&path, || is_cancelled() || started.elapsed() > LOCK_WAIT);
        match lock.map_err(|source| RemoteError::Lock { lock: path.clone(), source })? {
            Some(lock) => Ok(Self { remote, _lock: lock }),
            None if is_cancelled() => Err(GitError::Interrupted.into()),
            None => Err(RemoteError::Busy { lock: path }),
        }
    }

    /// Sets this clone's claims on a plan, given by the first part of their names, to those of the remote.
    ///
    /// # Errors
    /// The remote did not answer.
    pub fn fetch(&self, plan: &str) -> Result<(), RemoteError> {
        self.remote.fetch(&["--prune"], &format!("+{CLAIMS}/{plan}/*:{CLAIMS}/{plan}/*"))
    }

    /// Moves the remote's reference from `expected` to `new`; `None` is a missing reference.
    ///
    /// # Errors
    /// The remote did not answer. Then it is unknown whether it moved the reference.
    pub fn push(
        &self,
        name: &ClaimName,
        expected: Option<ObjectId>,
        new: Option<ObjectId>,
    ) -> Result<Pushed, RemoteError> {
        let reference = name.reference();
        let id = |id: Option<ObjectId>| id.map(|id| id.to_string()).unwrap_or_default();
        let lease = format!("--force-with-lease={reference}:{}", id(expected));
        // The user's hook is about commits.
        self.remote.push(&["--no-verify", "--no-signed", &lease], &format!("{}:{reference}", id(new)))
    }
}
