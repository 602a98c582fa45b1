//! Finding index entries in order.

use crate::syntax::RepoPath;

/// Finds index entries for paths that come in order, as they mostly do: then the next entry is the one.
pub(super) struct Cursor<'v> {
    pub index: &'v gix::index::File,
    pub next: usize,
}

impl<'v> Cursor<'v> {
    pub fn find(&mut self, path: &RepoPath) -> Option<&'v gix::index::Entry> {
        let entries = self.index.entries();
        let is_next = |entry: &&gix::index::Entry| {
            entry.stage() == gix::index::entry::Stage::Unconflicted && entry.path(self.index) == path.as_bstr()
        };
        let at = match entries.get(self.next).filter(is_next) {
            Some(_) => self.next,
            None => self.index.entry_index_by_path(path.as_bstr()).ok()?,
        };
        self.next = at + 1;
        entries.get(at).filter(|entry| entry.stage() == gix::index::entry::Stage::Unconflicted)
    }
}
