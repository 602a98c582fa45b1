//! What a merge has left to a person: paths of which the index holds both sides.

use super::objects::index_mode;
use super::{Resolved, View};
use crate::canon::FileState;
use crate::mirror::merge::has_conflict;
use crate::syntax::RepoPath;
use gix::bstr::ByteSlice;
use gix::index::entry::Stage;
use std::collections::BTreeMap;

/// By path: our side and theirs, where it has one.
pub(super) type Unmerged = BTreeMap<RepoPath, Vec<FileState>>;

impl View {
    /// Of a work tree, the paths that are not merged yet.
    pub(super) fn unmerged(&self) -> Unmerged {
        let mut unmerged = Unmerged::new();
        if !matches!(self.basis, Resolved::WorkTree) {
            return unmerged;
        }
        let entries = self.index.entries().iter();
        for entry in entries.filter(|entry| matches!(entry.stage(), Stage::Ours | Stage::Theirs)) {
            let states = unmerged.entry(RepoPath::new(entry.path(&self.index))).or_default();
            states.extend(index_mode(entry.mode).map(|mode| FileState { id: entry.id, mode }));
        }
        unmerged
    }

    /// Whether git's markers are still in a file of the work tree.
    pub(super) fn has_conflict(&self, path: &RepoPath) -> bool {
        let text = self.on_disk(path).and_then(|path| std::fs::read(path).ok());
        text.is_some_and(|text| has_conflict(text.as_bytes()))
    }

    /// What a blob holds; `None` where git does not have it.
    pub(super) fn blob(&self, id: gix::ObjectId) -> Option<Vec<u8>> {
        self.shared.with(&self.repo, |repo| Some(repo.find_blob(id).ok()?.detach().data))
    }
}
