//! What a sync of what is staged may do to the tools' files in the work tree, which may hold something else.

use super::managed_part::ManagedPart;
use crate::canon::FileState;
use crate::edit::Edit;
use crate::syntax::RepoPath;
use std::collections::BTreeSet;

/// What is done in the work tree beside what is staged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkTreePlan {
    /// Changes that are made there too.
    pub edits: Vec<Edit>,
    /// Files that hold what is staged already.
    pub same: Vec<RepoPath>,
    /// Files that someone changed, and that are left as they are.
    pub left: Vec<RepoPath>,
}

/// Entries of the locks on either side.
pub struct StagedLocks<'a> {
    /// What the work tree's lock is to say, as far as its mirrors go.
    pub mirrored: &'a [(RepoPath, FileState)],
    /// What it says before.
    pub tree: &'a [(RepoPath, FileState)],
    /// What the staged one says, after its sync.
    pub staged: &'a [(RepoPath, FileState)],
}

/// Decides. People write such files too: one is written only where the work tree holds the very text that was staged
/// before. `standing` says what stands at a path; `None` where nothing can be written.
pub fn beside(edits: &[Edit], mut standing: impl FnMut(&RepoPath) -> Option<Option<FileState>>) -> WorkTreePlan {
    let mut beside = WorkTreePlan::default();
    for edit in edits {
        let path = edit.path().clone();
        match standing(&path) {
            Some(state) if state == edit.now() => beside.same.push(path),
            Some(state) if state == edit.was() => beside.edits.push(edit.clone()),
            _ => beside.left.push(path),
        }
    }
    beside
}

impl WorkTreePlan {
    /// The entries of the work tree's lock after that. What is ours of a file that follows is what the staged lock says of
    /// it; of one that stays, what the work tree's own did.
    pub fn lock(&self, locks: &StagedLocks<'_>) -> Vec<(RepoPath, FileState)> {
        let done: BTreeSet<&RepoPath> = self.edits.iter().map(Edit::path).chain(&self.same).collect();
        let is_done = |row: &&(RepoPath, FileState)| done.contains(&file_of(&row.0));
        let is_part = |row: &&(RepoPath, FileState)| ManagedPart::from_lock_path(&row.0).is_some();
        let mirrored = locks.mirrored.iter().filter(|row| !is_part(row) && !is_done(row));
        let kept = locks.tree.iter().filter(|row| is_part(row) && !is_done(row));
        let new = locks.staged.iter().filter(is_done);
        mirrored.chain(kept).chain(new).cloned().collect()
    }
}

fn file_of(path: &RepoPath) -> RepoPath {
    ManagedPart::from_lock_path(path).map_or_else(|| path.clone(), |(file, _)| file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canon::FileMode;
    use crate::edit::EditContent;
    use gix::ObjectId;

    const FILE: &str = ".mcp.json";

    fn state(byte: u8) -> FileState {
        FileState { id: ObjectId::from_bytes_or_panic(&[byte; 20]), mode: FileMode::File }
    }

    fn row(path: &str, byte: u8) -> (RepoPath, FileState) {
        (RepoPath::from(path), state(byte))
    }

    /// What is staged becomes 2 from 1, and the work tree holds `standing`.
    fn decided(standing: Option<Option<u8>>) -> WorkTreePlan {
        let content = EditContent::Bytes(Vec::new());
        let edit = Edit::Write { path: FILE.into(), content, was: Some(state(1)), now: state(2) };
        beside(&[edit], |path| {
            assert_eq!(*path, RepoPath::from(FILE));
            standing.map(|byte| byte.map(state))
        })
    }

    #[test]
    fn a_file_follows_where_it_is_as_it_was_staged() {
        for (standing, fate, part) in [
            (Some(Some(1)), (1, 0, 0), 8),
            (Some(Some(2)), (0, 1, 0), 8),
            (Some(Some(3)), (0, 0, 1), 7),
            (Some(None), (0, 0, 1), 7),
            (None, (0, 0, 1), 7),
        ] {
            let beside = decided(standing);
            assert_eq!((beside.edits.len(), beside.same.len(), beside.left.len()), fate, "{standing:?}");
            let mirror = row(".claude/skills/a/SKILL.md", 5);
            let (part_of, other) = (".mcp.json#/mcpServers/a", row("AGENTS.md#block", 6));
            let locks = StagedLocks {
                mirrored: &[mirror.clone(), row("AGENTS.md#block", 9)],
                tree: &[row(part_of, 7), other.clone(), row(".claude/skills/gone/SKILL.md", 5)],
                staged: &[row(part_of, 8), row("AGENTS.md#block", 9), row(".claude/skills/b/SKILL.md", 5)],
            };
            let mut entries = beside.lock(&locks);
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            assert_eq!(entries, [mirror, row(part_of, part), other], "{standing:?}");
        }
    }

    #[test]
    fn whole_files_are_ours_by_their_own_path() {
        let path = ".claude/agents/a.md";
        let remove = Edit::Remove { path: path.into(), was: state(1) };
        let locks = StagedLocks { mirrored: &[row(path, 1)], tree: &[row(path, 1)], staged: &[] };
        assert_eq!(beside(std::slice::from_ref(&remove), |_| Some(Some(state(1)))).lock(&locks), []);
        assert_eq!(beside(&[remove], |_| Some(Some(state(3)))).lock(&locks), [row(path, 1)]);
    }
}
