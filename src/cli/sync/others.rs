//! The tools' files outside the mirrors, beside a sync of what is staged.

use crate::canon::State;
use crate::config::Target;
use crate::edit::Edit;
use crate::mirror::Lock;
use crate::mirror::beside::Beside;
use crate::syntax::RepoPath;
use crate::toolfiles::Part;
use std::collections::BTreeSet;

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

/// Adds to what is done in the work tree. People write such files too: one is written only where the work tree holds the
/// very text that was staged before. `standing` says what stands there; `None` where nothing can be written.
pub fn join(beside: &mut Beside, others: &Others<'_>, mut standing: impl FnMut(&RepoPath) -> Option<Option<State>>) {
    let mut done = BTreeSet::new();
    for edit in others.edits {
        let path = edit.path().clone();
        match standing(&path) {
            Some(state) if state == edit.now() => beside.same.push(path.clone()),
            Some(state) if state == edit.was() => beside.staged.push(edit.clone()),
            _ => {
                beside.left.push(path);
                continue;
            }
        }
        done.insert(path);
    }
    let is_done = |row: &(RepoPath, State)| done.contains(&file_of(&row.0));
    let is_part = |row: &(RepoPath, State)| Part::named(&row.0).is_some();
    let mirrors = beside.lock.entries().iter().filter(|row| !is_part(row) && !is_done(row));
    let kept = others.tree.entries().iter().filter(|row| is_part(row) && !is_done(row));
    let new = others.staged.entries().iter().filter(|row| is_done(row));
    beside.lock = Lock::new(mirrors.chain(kept).chain(new).cloned().collect());
}

fn file_of(path: &RepoPath) -> RepoPath {
    Part::named(path).map_or_else(|| path.clone(), |(file, _)| file)
}
