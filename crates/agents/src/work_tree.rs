//! Plans what a sync of the index also does to tool files in the work tree, which may have other content.

use super::managed_part::ManagedPart;
use canonry_model::canon::FileState;
use canonry_model::edit::Edit;
use canonry_text::RepoPath;
use std::collections::BTreeSet;

/// The changes in the work tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFileWorkTreePlan {
    pub edits: Vec<Edit>,
    /// Files that already have the content of the index.
    pub equal: Vec<RepoPath>,
    /// Files that stay unchanged because they were edited.
    pub edited: Vec<RepoPath>,
}

/// The lock entries before and after an index sync.
pub struct StagedLocks<'a> {
    /// The planned entries of the mirrors in the work tree.
    pub mirrors: &'a [(RepoPath, FileState)],
    /// The lock in the work tree before the sync.
    pub work_tree: &'a [(RepoPath, FileState)],
    /// The lock in the index after the sync.
    pub index: &'a [(RepoPath, FileState)],
}

/// State of the work tree at the path of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CurrentState {
    /// The file there, if one exists.
    Known(Option<FileState>),
    /// No file can be written there.
    Unwritable,
}

/// Plans the work tree changes for the edits of an index sync. Users write these files too, so one is written only if the
/// work tree has exactly the content that the index had before. `current` returns the state at the path of an edit.
pub fn plan_work_tree(edits: &[Edit], mut current: impl FnMut(&Edit) -> CurrentState) -> ToolFileWorkTreePlan {
    let mut plan = ToolFileWorkTreePlan::default();
    for edit in edits {
        let path = edit.path().clone();
        match current(edit) {
            CurrentState::Known(state) if state == edit.now() => plan.equal.push(path),
            CurrentState::Known(state) if state == edit.was() => plan.edits.push(edit.clone()),
            _ => plan.edited.push(path),
        }
    }
    plan
}

impl ToolFileWorkTreePlan {
    /// Returns the entries of the work tree's lock after the changes: those of the index for updated files, and the previous
    /// ones for all others.
    pub fn lock_entries(&self, locks: &StagedLocks<'_>) -> Vec<(RepoPath, FileState)> {
        let updated: BTreeSet<&RepoPath> = self.edits.iter().map(Edit::path).chain(&self.equal).collect();
        let is_updated = |row: &&(RepoPath, FileState)| updated.contains(&file_of(&row.0));
        let is_part = |row: &&(RepoPath, FileState)| ManagedPart::from_lock_path(&row.0).is_some();
        let mirrors = locks.mirrors.iter().filter(|row| !is_part(row) && !is_updated(row));
        let kept = locks.work_tree.iter().filter(|row| is_part(row) && !is_updated(row));
        let new = locks.index.iter().filter(is_updated);
        mirrors.chain(kept).chain(new).cloned().collect()
    }
}

fn file_of(path: &RepoPath) -> RepoPath {
    ManagedPart::from_lock_path(path).map_or_else(|| path.clone(), |(file, _)| file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::canon::FileMode;
    use canonry_model::edit::EditContent;
    use gix_hash::ObjectId;

    const FILE: &str = ".mcp.json";

    fn state(byte: u8) -> FileState {
        FileState { id: ObjectId::from_bytes_or_panic(&[byte; 20]), mode: FileMode::File }
    }

    fn row(path: &str, byte: u8) -> (RepoPath, FileState) {
        (RepoPath::from(path), state(byte))
    }

    /// The index changes from 1 to 2, and the work tree has `current`.
    fn planned(current: &CurrentState) -> ToolFileWorkTreePlan {
        let content = EditContent::Bytes(Vec::new());
        let edit = Edit::Write { path: FILE.into(), content, was: Some(state(1)), now: state(2) };
        plan_work_tree(&[edit], |edit| {
            assert_eq!(*edit.path(), RepoPath::from(FILE));
            current.clone()
        })
    }

    #[test]
    fn a_file_is_updated_if_it_equals_the_index() {
        for (current, counts, part) in [
            (CurrentState::Known(Some(state(1))), (1, 0, 0), 8),
            (CurrentState::Known(Some(state(2))), (0, 1, 0), 8),
            (CurrentState::Known(Some(state(3))), (0, 0, 1), 7),
            (CurrentState::Known(None), (0, 0, 1), 7),
            (CurrentState::Unwritable, (0, 0, 1), 7),
        ] {
            let plan = planned(&current);
            assert_eq!((plan.edits.len(), plan.equal.len(), plan.edited.len()), counts, "{current:?}");
            let mirror = row(".claude/skills/a/SKILL.md", 5);
            let part_of = ".mcp.json#/mcpServers/a";
            let other = row("AGENTS.md#block", 6);
            let locks = StagedLocks {
                mirrors: &[mirror.clone(), row("AGENTS.md#block", 9)],
                work_tree: &[row(part_of, 7), other.clone(), row(".claude/skills/gone/SKILL.md", 5)],
                index: &[row(part_of, 8), row("AGENTS.md#block", 9), row(".claude/skills/b/SKILL.md", 5)],
            };
            let mut entries = plan.lock_entries(&locks);
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            assert_eq!(entries, [mirror, row(part_of, part), other], "{current:?}");
        }
    }

    #[test]
    fn generated_files_are_owned_by_their_path() {
        let path = ".claude/agents/a.md";
        let remove = Edit::Remove { path: path.into(), was: state(1) };
        let locks = StagedLocks { mirrors: &[row(path, 1)], work_tree: &[row(path, 1)], index: &[] };
        assert_eq!(
            plan_work_tree(std::slice::from_ref(&remove), |_| CurrentState::Known(Some(state(1)))).lock_entries(&locks),
            []
        );
        assert_eq!(
            plan_work_tree(&[remove], |_| CurrentState::Known(Some(state(3)))).lock_entries(&locks),
            [row(path, 1)]
        );
    }
}
