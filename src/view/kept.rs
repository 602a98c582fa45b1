//! Small files that several readers ask for, read once.

use super::View;
use crate::canon::Blob;
use crate::syntax::RepoPath;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Content by path, as it was when it was first asked for.
pub(super) type Kept = Mutex<HashMap<RepoPath, Blob>>;

impl View {
    /// As [`View::read`], and kept for whoever asks next: for small files that are judged by themselves and asked for
    /// beside, such as a plan by its reports.
    pub fn read_kept(&self, path: &RepoPath, limit: u64) -> Blob {
        if self.overlay.contains_key(path) {
            return self.read(path, limit);
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(blob) = kept.get(path) {
            return blob.clone();
        }
        // Read without the lock: others are not to wait for the file system.
        drop(kept);
        let blob = self.read_basis(path, limit);
        kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.entry(path.clone()).or_insert(blob).clone()
    }

    /// Reads all anew from here on: files were written.
    pub fn forget(&self) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
