//! What git ignores in the work tree.

use super::{View, ViewError};
use crate::syntax::RepoPath;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Files handed to a thread at once: enough to share the cost of its attribute stack.
const CHUNK: usize = 256;

impl View {
    /// Those of `files` that git ignores, whether they exist or not.
    ///
    /// # Errors
    /// [`ViewError::Git`] where git's own files cannot be read.
    pub fn ignored(&self, files: &[RepoPath]) -> Result<BTreeSet<RepoPath>, ViewError> {
        let mut kept = files.to_vec();
        self.leave_out_ignored(&mut kept, |path| path)?;
        let kept: BTreeSet<RepoPath> = kept.into_iter().collect();
        Ok(files.iter().filter(|path| !kept.contains(*path)).cloned().collect())
    }

    /// What is tracked counts even where a pattern matches it, as for git.
    pub(super) fn leave_out_ignored<T: Sync>(
        &self,
        files: &mut Vec<T>,
        path: impl Fn(&T) -> &RepoPath + Sync,
    ) -> Result<(), ViewError> {
        let tracked = |file: &T| self.index.entry_by_path(path(file).as_bstr()).is_some();
        if !self.heeds_ignore_rules || files.par_iter().all(tracked) {
            return Ok(());
        }
        let keep: Result<Vec<Vec<bool>>, ViewError> = files
            .par_chunks(CHUNK)
            .map(|chunk| {
                let repo = self.repo.to_thread_local();
                let source = gix::worktree::stack::state::ignore::Source::WorktreeThenIdMappingIfNotSkipped;
                let error = ViewError::git("ignore rules");
                let mut stack = repo.excludes(self.whole_index(), None, source).map_err(&error)?;
                let ignored = |file: &T| {
                    let at = stack.at_entry(self.full(path(file)).as_bstr(), Some(gix::index::entry::Mode::FILE));
                    at.is_ok_and(|at| at.is_excluded())
                };
                let mut ignored = ignored;
                Ok(chunk.iter().map(|file| tracked(file) || !ignored(file)).collect())
            })
            .collect();
        let mut keep = keep?.into_iter().flatten();
        files.retain(|_| keep.next().unwrap_or(true));
        Ok(())
    }
}
