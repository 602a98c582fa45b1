//! The folders that lie directly in a folder.

use super::{Resolved, View};
use crate::syntax::RepoPath;
use gix::bstr::ByteSlice;
use std::collections::BTreeSet;

impl View {
    /// Their names, sorted; those that are no UTF-8 are left out. Links are no folders.
    pub fn folders(&self, folder: &RepoPath) -> Vec<String> {
        let names: BTreeSet<String> = match &self.basis {
            Resolved::WorkTree => {
                let entries = self.on_disk(folder).and_then(|path| std::fs::read_dir(path).ok());
                let folders =
                    entries.into_iter().flatten().flatten().filter(|e| e.file_type().is_ok_and(|t| t.is_dir()));
                folders.filter_map(|entry| entry.file_name().into_string().ok()).collect()
            }
            Resolved::Index => {
                let skipped = if folder.is_empty() { 0 } else { folder.as_bstr().len() + 1 };
                let name = |path: RepoPath| {
                    let (name, _) = path.as_bstr().get(skipped..)?.split_once_str("/")?;
                    name.to_str().ok().map(str::to_owned)
                };
                self.tracked(folder).filter_map(name).collect()
            }
            Resolved::Commit(tree) => {
                let entries = self.direct_entries(*tree, folder).into_iter();
                let folders = entries.filter(|path| self.kind(path) == super::PathKind::Folder);
                folders.filter_map(|path| path.file_name().to_str().ok().map(str::to_owned)).collect()
            }
        };
        names.into_iter().collect()
    }
}
