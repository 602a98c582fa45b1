//! Where things lie on disk.

use super::View;
use crate::syntax::RepoPath;
use gix::bstr::ByteSlice;
use std::path::{Path, PathBuf};

impl View {
    /// The folder of the repository that is looked at; empty for the repository itself.
    pub fn base(&self) -> &RepoPath {
        &self.base
    }

    /// A path from the top of the repository.
    pub fn full(&self, path: &RepoPath) -> RepoPath {
        self.base.join(path.as_bstr())
    }

    /// The index with all of the repository.
    pub(super) fn whole_index(&self) -> &gix::index::File {
        self.whole_index.as_ref().unwrap_or(&self.index)
    }

    /// Where a path lies on disk; `None` in a bare repository.
    pub fn on_disk(&self, path: &RepoPath) -> Option<PathBuf> {
        let workdir = self.workdir.as_ref()?;
        gix::path::from_bstr(path.as_bstr()).ok().map(|path| workdir.join(path))
    }

    /// The top of the work tree; `None` in a bare repository.
    pub fn top(&self) -> Option<&Path> {
        self.workdir.as_deref()
    }

    /// Git's folder, which all work trees of the repository share: it outlives any of them.
    pub fn common_dir(&self) -> PathBuf {
        let dir = self.repo.to_thread_local().common_dir().to_owned();
        // A linked work tree knows it by a path through its own folder.
        std::fs::canonicalize(&dir).unwrap_or(dir)
    }

    /// The repository's path of a real path on disk; `None` outside the work tree.
    pub fn inside(&self, path: &Path) -> Option<RepoPath> {
        let below = path.strip_prefix(self.workdir.as_ref()?).ok()?;
        let bytes = gix::path::into_bstr(below).ok()?;
        Some(RepoPath::new(gix::path::to_unix_separators_on_windows(bytes).as_bstr()))
    }

    /// Whether git's index has a file by this very name.
    pub fn is_tracked(&self, path: &RepoPath) -> bool {
        self.index.entry_by_path(path.as_bstr()).is_some()
    }
}
