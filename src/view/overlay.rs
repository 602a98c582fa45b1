//! Content in the place of what is there: what would be written, and what was read already.

use super::View;
use crate::canon::Blob;
use crate::syntax::RepoPath;

impl View {
    /// From here on `bytes` are read at a path, whatever is there: what would be written is judged before it is.
    pub fn set_overlay(&mut self, path: RepoPath, bytes: Vec<u8>) {
        self.overlay.insert(path, bytes);
    }

    /// Takes away what was laid over.
    pub fn clear_overlay(&mut self) {
        self.overlay.clear();
    }
}

impl View {
    /// As [`View::read`], and kept for whoever asks next: for small files that are judged by themselves and asked for
    /// beside, such as a plan by its reports.
    pub fn read_kept(&self, path: &RepoPath, limit: u64) -> Blob {
        match self.overlay.contains_key(path) {
            true => self.read(path, limit),
            false => self.kept.or_read(path, || self.read(path, limit)),
        }
    }

    /// Reads all anew from here on: files were written.
    pub fn forget(&self) {
        self.kept.clear();
    }
}
