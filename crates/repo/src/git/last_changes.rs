//! When files last changed, for several files in one walk over the history.

use canonry_text::RepoPath;
use gix::ObjectId;
use std::collections::BTreeMap;

/// Commits that are looked at. A search that reads more takes longer than a person waits for an answer.
const MAX_COMMITS: usize = 2_000;

/// The times of the last commits that changed these files, in seconds since 1970, as far as they are at or after `since`. A file
/// that HEAD does not have, or that was added and not changed since, has no entry.
///
/// The walk follows first parents, so that changes count from their merge, and ends at the border of a shallow clone.
///
/// # Errors
/// An object cannot be read.
pub fn last_changes(
    repo: &gix::Repository,
    files: &[RepoPath],
    since: i64,
) -> Result<BTreeMap<RepoPath, i64>, gix::Error> {
    let mut changes = BTreeMap::new();
    let Ok(mut commit) = repo.head_commit() else { return Ok(changes) };
    let mut ids = ids_of(&commit, files)?;
    let mut open: Vec<RepoPath> = files.iter().filter(|file| ids.contains_key(*file)).cloned().collect();
    for _ in 0..MAX_COMMITS {
        let time = commit.time()?.seconds;
        let parent = commit.parent_ids().next().and_then(|parent| repo.find_commit(parent.detach()).ok());
        let (false, true, Some(parent)) = (open.is_empty(), time >= since, parent) else { break };
        let is_same_tree = parent.tree_id()? == commit.tree_id()?;
        if !is_same_tree {
            let before = ids_of(&parent, &open)?;
            open.retain(|file| match before.get(file) {
                Some(id) if ids.get(file) == Some(id) => true,
                // A new file contradicts no lesson that was written before.
                None => false,
                Some(_) => {
                    changes.insert(file.clone(), time);
                    false
                }
            });
            ids = before;
        }
        commit = parent;
    }
    Ok(changes)
}

fn ids_of(commit: &gix::Commit<'_>, files: &[RepoPath]) -> Result<BTreeMap<RepoPath, ObjectId>, gix::Error> {
    let tree = commit.tree()?;
    let mut ids = BTreeMap::new();
    for file in files {
        if let Some(entry) = tree.lookup_entry(file.components().map(|part| part.to_vec()))? {
            ids.insert(file.clone(), entry.object_id());
        }
    }
    Ok(ids)
}
