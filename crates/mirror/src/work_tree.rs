//! Plans what a sync of the index also does in the work tree, which may have other content.

use super::desired::{DesiredFile, DesiredMirrors};
use super::lock::Lock;
use super::plan::SyncPlan;
use super::state::{MirrorRoot, MirrorState, is_owned};
use canonry_model::canon::FileState;
use canonry_model::edit::Edit;
use canonry_text::RepoPath;
use std::collections::BTreeMap;

/// The mirrors of the work tree.
pub struct WorkTreeMirrors<'a> {
    /// The desired content according to the canon in the work tree.
    pub desired: &'a DesiredMirrors,
    pub state: &'a MirrorState,
    /// Everything that is owned, from the lock and the recorded runs.
    pub owned: &'a Lock,
    /// The lock file.
    pub lock: &'a Lock,
}

/// The changes in the work tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkTreePlan {
    /// Changes whose content is the same for the canon in the work tree and in the index.
    pub edits: Vec<Edit>,
    /// Changes whose content exists only in the index.
    pub index_edits: Vec<Edit>,
    /// Paths that already have the content of the index, or that a sparse checkout leaves to it.
    pub equal: Vec<RepoPath>,
    /// Paths that stay unchanged because they were edited.
    pub edited: Vec<RepoPath>,
    /// The lock after the changes.
    pub lock: Lock,
}

/// Plans the work tree changes for the plan of an index sync. A file is written only if it is as a sync left it and does not
/// already match the canon of the work tree.
pub fn plan_work_tree(staged: &SyncPlan, tree: &WorkTreeMirrors<'_>) -> WorkTreePlan {
    let mut plan = WorkTreePlan::default();
    let mut settled: BTreeMap<RepoPath, Option<FileState>> = BTreeMap::new();
    for edit in &staged.edits {
        let path = edit.path();
        let now = edit.now();
        let current = tree.state.state(path);
        let desired = tree.desired_file(path);
        let write = |was: Option<FileState>| rebase(edit, was, desired);
        match current {
            _ if current == now || tree.state.outside_checkout.contains(path) => plan.equal.push(path.clone()),
            // The mirror is ahead of the index, as is the canon.
            _ if current == desired.map(|file| file.state) => continue,
            Some(state) if !tree.is_owned(path, state) => {
                plan.edited.push(path.clone());
                continue;
            }
            _ if tree.is_blocked(path) => {
                plan.edited.push(path.clone());
                continue;
            }
            was if now.is_none() || desired.is_some_and(|file| Some(file.state) == now) => {
                plan.edits.extend(write(was))
            }
            was => plan.index_edits.extend(write(was)),
        }
        settled.insert(path.clone(), now.filter(|_| staged.lock.owns(path)));
    }
    let stays = |path: &RepoPath| tree.state.state(path).is_some() || tree.desired_file(path).is_some();
    let rows = tree.lock.entries().iter().filter(|(path, _)| !settled.contains_key(path) && stays(path)).cloned();
    let written = settled.iter().filter_map(|(path, now)| Some((path.clone(), (*now)?)));
    plan.lock = Lock::new(rows.chain(written).collect());
    plan
}

/// Returns the same change with the work tree's state as its start.
fn rebase(edit: &Edit, was: Option<FileState>, desired: Option<&DesiredFile>) -> Option<Edit> {
    let path = edit.path().clone();
    match edit {
        Edit::Remove { .. } => was.map(|was| Edit::Remove { path, was }),
        Edit::Write { content, now, .. } => {
            let same = desired.filter(|file| file.state == *now);
            let content = same.map_or(content, |file| &file.content).clone();
            Some(Edit::Write { path, content, was, now: *now })
        }
        // A sync never renames files.
        Edit::Rename { .. } => None,
    }
}

impl WorkTreeMirrors<'_> {
    fn desired_file(&self, path: &RepoPath) -> Option<&DesiredFile> {
        let files = &self.desired.files;
        files.binary_search_by(|file| file.path.cmp(path)).ok().map(|at| &files[at])
    }

    fn is_owned(&self, path: &RepoPath, state: FileState) -> bool {
        let owned: Vec<(RepoPath, FileState)> = self.owned.states(path).map(|state| (path.clone(), state)).collect();
        is_owned(&owned, state)
    }

    /// Checks whether the mirror is not a real folder, or a file is where a folder is needed or the other way round.
    fn is_blocked(&self, path: &RepoPath) -> bool {
        if !self.state.target_of(path).is_some_and(|target| *self.state.root(target) == MirrorRoot::Folder) {
            return true;
        }
        let mut above = std::iter::successors(path.parent(), RepoPath::parent);
        above.any(|folder| self.state.state(&folder).is_some()) || self.state.below(path).next().is_some()
    }
}

#[cfg(test)]
#[path = "work_tree_tests.rs"]
mod tests;
