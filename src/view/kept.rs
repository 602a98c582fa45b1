//! Content that was read once, for those that ask again.

use crate::canon::Blob;
use crate::syntax::RepoPath;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Content by path, as it was when it was first asked for.
#[derive(Default)]
pub(super) struct Kept(Mutex<HashMap<RepoPath, Blob>>);

impl Kept {
    /// What is kept of a path; else it is read, without holding up others that ask meanwhile.
    pub fn or_read(&self, path: &RepoPath, read: impl FnOnce() -> Blob) -> Blob {
        if let Some(blob) = self.lock().get(path) {
            return blob.clone();
        }
        let blob = read();
        self.lock().entry(path.clone()).or_insert(blob).clone()
    }

    /// Keeps nothing any more.
    pub fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RepoPath, Blob>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
