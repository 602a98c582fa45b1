//! Texts as git stores them, and as it checks them out.

use super::View;
use super::hasher::Hasher;
use crate::syntax::RepoPath;
use gix::ObjectId;

/// Reads and gives texts in git's own form, clean filters and line endings taken off. Making one costs more than asking
/// it.
pub struct Texts<'v> {
    view: &'v View,
    hasher: Hasher<'v>,
}

impl Texts<'_> {
    /// What git would store of the file at a path of the work tree.
    pub fn stored(&mut self, path: &RepoPath) -> Option<Vec<u8>> {
        self.hasher.clean(path, path)
    }

    /// What a blob holds; `None` where git does not have it, as in a partial clone or before the first commit.
    pub fn blob(&self, id: ObjectId) -> Option<Vec<u8>> {
        self.view.blob(id)
    }

    /// How a stored text would be checked out at a path, and its id.
    pub fn checked_out(&mut self, path: &RepoPath, text: &[u8]) -> Option<(Vec<u8>, ObjectId)> {
        Some((self.hasher.smudge(path, text)?, self.hasher.hash(text)?))
    }
}

impl View {
    /// Something that gives texts as git stores them.
    pub fn texts(&self) -> Texts<'_> {
        Texts { view: self, hasher: Hasher::new(self) }
    }
}
