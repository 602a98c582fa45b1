//! What a sync of what is staged may do in the work tree, which may hold something else.

use super::compare::is_owned;
use super::desired::{DesiredFile, DesiredMirrors};
use super::lock::Lock;
use super::plan::SyncPlan;
use super::state::{MirrorRoot, MirrorState};
use crate::canon::FileState;
use crate::config::Target;
use crate::edit::Edit;
use crate::syntax::RepoPath;
use std::collections::BTreeMap;

/// The work tree as a sync of it sees it.
pub struct WorkTreeMirrors<'a> {
    /// What its own canon asks for.
    pub desired: &'a DesiredMirrors,
    /// What its mirrors hold.
    pub actual: &'a MirrorState,
    /// What of it is ours, by whatever says so.
    pub ours: &'a Lock,
    /// What its lock says.
    pub lock: &'a Lock,
}

/// What is done in the work tree beside what is staged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkTreePlan {
    /// Changes to what its own canon says, which is also what is staged.
    pub edits: Vec<Edit>,
    /// Changes to what is staged alone: their content is not that of a file in the work tree.
    pub staged: Vec<Edit>,
    /// Paths that hold what is staged already.
    pub same: Vec<RepoPath>,
    /// Paths that someone changed, and that are left as they are.
    pub left: Vec<RepoPath>,
    /// Its lock after that.
    pub lock: Lock,
}

/// Decides, for each change to what is staged. A file of the work tree is written only where it is as a sync left it,
/// and not where it is what the work tree's own canon says.
pub fn plan_work_tree(staged: &SyncPlan, tree: &WorkTreeMirrors<'_>) -> WorkTreePlan {
    let mut beside = WorkTreePlan::default();
    let mut settled: BTreeMap<RepoPath, Option<FileState>> = BTreeMap::new();
    for edit in &staged.edits {
        let (path, now) = (edit.path(), edit.now());
        let (actual, wanted) = (tree.actual.state(path), tree.wanted(path));
        let write = |was: Option<FileState>| rebased(edit, was, wanted);
        match actual {
            _ if actual == now => beside.same.push(path.clone()),
            // Ahead of what is staged, as its canon is.
            _ if actual == wanted.map(|want| want.state) => continue,
            Some(state) if !tree.is_owned(path, state) => {
                beside.left.push(path.clone());
                continue;
            }
            _ if tree.is_blocked(path) => {
                beside.left.push(path.clone());
                continue;
            }
            was if now.is_none() || wanted.is_some_and(|want| Some(want.state) == now) => {
                beside.edits.extend(write(was))
            }
            was => beside.staged.extend(write(was)),
        }
        settled.insert(path.clone(), now.filter(|_| staged.lock.owns(path)));
    }
    let stays = |path: &RepoPath| tree.actual.state(path).is_some() || tree.wanted(path).is_some();
    let rows = tree.lock.entries().iter().filter(|(path, _)| !settled.contains_key(path) && stays(path)).cloned();
    let written = settled.iter().filter_map(|(path, now)| Some((path.clone(), (*now)?)));
    beside.lock = Lock::new(rows.chain(written).collect());
    beside
}

/// The same change, from what stands in the work tree.
fn rebased(edit: &Edit, was: Option<FileState>, wanted: Option<&DesiredFile>) -> Option<Edit> {
    let path = edit.path().clone();
    match edit {
        Edit::Remove { .. } => was.map(|was| Edit::Remove { path, was }),
        Edit::Write { content, now, .. } => {
            let same = wanted.filter(|want| want.state == *now);
            let content = same.map_or(content, |want| &want.content).clone();
            Some(Edit::Write { path, content, was, now: *now })
        }
        // No sync renames anything.
        Edit::Rename { .. } => None,
    }
}

impl WorkTreeMirrors<'_> {
    fn wanted(&self, path: &RepoPath) -> Option<&DesiredFile> {
        let wants = &self.desired.files;
        wants.binary_search_by(|want| want.path.cmp(path)).ok().map(|at| &wants[at])
    }

    fn is_owned(&self, path: &RepoPath, state: FileState) -> bool {
        let ours: Vec<(RepoPath, FileState)> = self.ours.states(path).map(|state| (path.clone(), state)).collect();
        is_owned(&ours, state)
    }

    /// Whether the mirror is no real folder, or a file stands where a folder is needed, or the other way round.
    fn is_blocked(&self, path: &RepoPath) -> bool {
        if !Target::holding(path).is_some_and(|target| *self.actual.root(target) == MirrorRoot::Folder) {
            return true;
        }
        let mut above = std::iter::successors(path.parent(), RepoPath::parent);
        above.any(|folder| self.actual.state(&folder).is_some()) || self.actual.below(path).next().is_some()
    }
}

#[cfg(test)]
#[path = "work_tree_tests.rs"]
mod tests;
