//! What would be written, read as if it stood there already.

use super::View;
use crate::syntax::RepoPath;

impl View {
    /// From here on `bytes` are read at a path, whatever is there: what would be written is judged before it is.
    pub fn lay_over(&mut self, path: RepoPath, bytes: Vec<u8>) {
        self.overlay.insert(path, bytes);
    }

    /// Takes away what was laid over.
    pub fn lay_bare(&mut self) {
        self.overlay.clear();
    }
}
