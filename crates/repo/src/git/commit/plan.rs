//! Computes the changes of a commit. Writes only objects.

use std::collections::{BTreeMap, BTreeSet};

use gix::bstr::{BStr, BString, ByteSlice};

use super::head::{CommitBase, Leaf};
use super::worktree::{PathOutcome, Worktree};
use super::{ChangeKind, CommitError};

/// The paths of a commit. Both maps are in the order of git's index.
#[derive(Default)]
pub(in crate::git) struct CommitPlan {
    /// The new state of index entries.
    pub outcomes: BTreeMap<BString, PathOutcome>,
    /// The differences from HEAD.
    pub changes: BTreeMap<BString, ChangeKind>,
}

impl CommitPlan {
    /// Compares each candidate with HEAD and stores new objects.
    pub fn make(
        repo: &gix::Repository,
        index: &gix::index::File,
        base: &mut CommitBase<'_>,
        candidates: &BTreeSet<BString>,
    ) -> Result<Self, CommitError> {
        Self::evaluate(Worktree::new(repo, index)?, index, base, candidates)
    }

    /// Like [`Self::make`], but includes files that git ignores in the work tree, for commits to another branch.
    pub fn make_including_ignored(
        repo: &gix::Repository,
        index: &gix::index::File,
        base: &mut CommitBase<'_>,
        candidates: &BTreeSet<BString>,
    ) -> Result<Self, CommitError> {
        Self::evaluate(Worktree::new(repo, index)?.include_ignored(), index, base, candidates)
    }

    fn evaluate(
        mut worktree: Worktree<'_>,
        index: &gix::index::File,
        base: &mut CommitBase<'_>,
        candidates: &BTreeSet<BString>,
    ) -> Result<Self, CommitError> {
        let mut plan = Self::default();
        for path in candidates {
            let head = base.leaf(path.as_bstr())?;
            if let Some(outcome) = worktree.evaluate(path.as_bstr(), head)? {
                plan.record(path.as_bstr(), head, outcome);
            }
        }
        plan.displace(index, base)?;
        Ok(plan)
    }

    pub fn record(&mut self, path: &BStr, head: Option<Leaf>, outcome: PathOutcome) {
        let change = match (&outcome, head) {
            (PathOutcome::Put(_), None) => Some(ChangeKind::Added),
            (PathOutcome::Put(new), Some(old)) => {
                let differs = old.id != new.id || old.kind != new.kind;
                differs.then_some(ChangeKind::Modified)
            }
            (PathOutcome::Gone, Some(_)) => Some(ChangeKind::Deleted),
            (PathOutcome::Gone, None) => None,
        };
        if let Some(change) = change {
            self.changes.insert(path.to_owned(), change);
        }
        self.outcomes.insert(path.to_owned(), outcome);
    }

    /// A file replaces a folder or a folder replaces a file. The old entries must go, even if they were not selected.
    fn displace(&mut self, index: &gix::index::File, base: &mut CommitBase<'_>) -> Result<(), CommitError> {
        let mut displaced = BTreeSet::new();
        for (path, outcome) in &self.outcomes {
            if let PathOutcome::Put(_) = outcome {
                displaced.extend(above(index, base, path.as_bstr())?);
                displaced.extend(below(index, path.as_bstr()));
            }
        }
        for path in displaced {
            if !self.outcomes.contains_key(&path) {
                let head = base.leaf(path.as_bstr())?;
                self.record(path.as_bstr(), head, PathOutcome::Gone);
            }
        }
        Ok(())
    }
}

/// Entries for a file at the path of a parent folder of `path`.
fn above(index: &gix::index::File, base: &mut CommitBase<'_>, path: &BStr) -> Result<Vec<BString>, CommitError> {
    let mut found = Vec::new();
    for slash in path.find_iter("/") {
        let folder = path[..slash].as_bstr();
        let entry = index.entry_by_path(folder);
        if entry.is_some_and(|entry| entry.mode.is_submodule()) {
            let path = path.to_owned();
            let root = folder.to_owned();
            return Err(CommitError::OtherRepository { path, root });
        }
        if entry.is_some() || base.leaf(folder)?.is_some() {
            found.push(folder.to_owned());
        }
    }
    Ok(found)
}

/// Entries below the folder that was at `path`.
fn below(index: &gix::index::File, path: &BStr) -> Vec<BString> {
    let mut folder = path.to_owned();
    folder.push(b'/');
    let entries = index.prefixed_entries(folder.as_bstr()).unwrap_or_default();
    entries.iter().map(|entry| entry.path(index).to_owned()).collect()
}
