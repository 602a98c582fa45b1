//! The tools' files outside the mirrors, beside a sync of what is staged.

use crate::canon::FileState;
use crate::config::Target;
use crate::edit::Edit;
use crate::mirror::Lock;
use crate::mirror::work_tree::WorkTreePlan;
use crate::syntax::RepoPath;
use crate::toolfiles::work_tree::{self, StagedLocks};

/// What a sync of what is staged does to such files, and the locks on either side.
pub struct Others<'a> {
    /// The changes to what is staged.
    pub edits: &'a [Edit],
    /// The staged lock, after them.
    pub staged: &'a Lock,
    /// The work tree's lock.
    pub tree: &'a Lock,
}

/// Whether a path lies in a mirror.
pub fn is_mirrored(path: &RepoPath) -> bool {
    Target::holding(path).is_some()
}

/// Adds to what is done in the work tree's mirrors. `standing` says what stands at a path; `None` where nothing can be
/// written.
pub fn join(
    mirrors: &mut WorkTreePlan,
    others: &Others<'_>,
    standing: impl FnMut(&RepoPath) -> Option<Option<FileState>>,
) {
    let beside = work_tree::beside(others.edits, standing);
    let (mirrored, tree, staged) = (mirrors.lock.entries(), others.tree.entries(), others.staged.entries());
    mirrors.lock = Lock::new(beside.lock(&StagedLocks { mirrored, tree, staged }));
    mirrors.staged.extend(beside.edits);
    mirrors.same.extend(beside.same);
    mirrors.left.extend(beside.left);
}
