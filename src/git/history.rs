//! When a file last changed, by git's history: a checkout resets times on disk, and a commit's does not move.

use crate::syntax::RepoPath;
use gix::ObjectId;
use gix::bstr::{BStr, BString};
use std::collections::BTreeMap;

/// What the message of a commit begins with that takes a dream back.
pub const UNDO: &str = "undo dream cycle: ";

/// The time of the commit that gave `path` the content that `rev` has, in seconds since 1970; `None` where that does not
/// have it. Commits older than `limit` are not looked behind: then the answer is some time before it.
///
/// As `git log -1 -- PATH`, this follows the first parent that has the file as it is. What came back with a dream that was
/// taken back is as old as it was before that; `None` too where it was in no commit then.
///
/// # Errors
/// What gix says, where an object cannot be read. A shallow clone ends where its history does.
pub fn last_change(repo: &gix::Repository, rev: &str, path: &BStr, limit: i64) -> Result<Option<i64>, gix::Error> {
    let Ok(id) = repo.rev_parse_single(rev) else { return Ok(None) };
    let Ok(mut commit) = id.object()?.peel_to_commit() else { return Ok(None) };
    let Some(wanted) = blob(&commit, path)? else { return Ok(None) };
    loop {
        let time = commit.time()?.seconds;
        if time < limit {
            return Ok(Some(time));
        }
        let parents: Vec<ObjectId> = commit.parent_ids().map(gix::Id::detach).collect();
        let before = match first_with(repo, &parents, path, wanted)? {
            Some(before) => before,
            None if is_undo(&commit)? => match before_the_dream(&commit, path, wanted)? {
                Some(before) => before,
                None => return Ok(None),
            },
            None => return Ok(Some(time)),
        };
        commit = before;
    }
}

fn is_undo(commit: &gix::Commit<'_>) -> Result<bool, gix::Error> {
    Ok(commit.message_raw()?.starts_with(UNDO.as_bytes()))
}

/// The commit before the dream that was taken back: the last one, by first parents, that had the file as it is again. Further
/// than the dreams of a few years it is not sought.
fn before_the_dream<'r>(
    undo: &gix::Commit<'r>,
    path: &BStr,
    wanted: ObjectId,
) -> Result<Option<gix::Commit<'r>>, gix::Error> {
    let mut commit = undo.clone();
    for _ in 0..1_000 {
        let Some(parent) = commit.parent_ids().next() else { return Ok(None) };
        let Ok(parent) = undo.repo.find_commit(parent.detach()) else { return Ok(None) };
        if blob(&parent, path)? == Some(wanted) {
            return Ok(Some(parent));
        }
        commit = parent;
    }
    Ok(None)
}

fn first_with<'r>(
    repo: &'r gix::Repository,
    parents: &[ObjectId],
    path: &BStr,
    wanted: ObjectId,
) -> Result<Option<gix::Commit<'r>>, gix::Error> {
    for parent in parents {
        // Beyond the border of a shallow clone there is nothing to be found.
        let Ok(commit) = repo.find_commit(*parent) else { continue };
        if blob(&commit, path)? == Some(wanted) {
            return Ok(Some(commit));
        }
    }
    Ok(None)
}

fn blob(commit: &gix::Commit<'_>, path: &BStr) -> Result<Option<ObjectId>, gix::Error> {
    let tree = commit.tree()?;
    let entry = tree.lookup_entry(path.split(|b| *b == b'/'))?;
    Ok(entry.filter(|entry| entry.mode().is_blob()).map(|entry| entry.object_id()))
}

/// Those of some folders that `rev` has just as the last commit before `since` had them, by the line of first parents: what a
/// branch changed counts from when it was merged. None where history is younger, or is cut off before.
///
/// One walk over the commits since then, and one look at each tree above the folders, however many there are.
///
/// # Errors
/// What gix says, where an object cannot be read.
pub fn unchanged_since(
    repo: &gix::Repository,
    rev: &str,
    folders: &[RepoPath],
    since: i64,
) -> Result<Vec<RepoPath>, gix::Error> {
    let Ok(id) = repo.rev_parse_single(rev) else { return Ok(Vec::new()) };
    let Ok(now) = id.object()?.peel_to_commit() else { return Ok(Vec::new()) };
    let mut then = now.clone();
    while then.time()?.seconds > since {
        let Some(parent) = then.parent_ids().next() else { return Ok(Vec::new()) };
        // Beyond the border of a shallow clone there is nothing to be found.
        let Ok(parent) = repo.find_commit(parent.detach()) else { return Ok(Vec::new()) };
        then = parent;
    }
    let (mut before, mut after) = (Folders::of(then.tree()?), Folders::of(now.tree()?));
    let mut unchanged = Vec::new();
    for folder in folders {
        let id = after.id(folder)?;
        if id.is_some() && id == before.id(folder)? {
            unchanged.push(folder.clone());
        }
    }
    Ok(unchanged)
}

/// The ids of a tree's folders; each tree is read once.
struct Folders<'r> {
    top: gix::Tree<'r>,
    read: BTreeMap<RepoPath, BTreeMap<BString, ObjectId>>,
}

impl<'r> Folders<'r> {
    fn of(top: gix::Tree<'r>) -> Self {
        Self { top, read: BTreeMap::new() }
    }

    fn id(&mut self, folder: &RepoPath) -> Result<Option<ObjectId>, gix::Error> {
        let Some(parent) = folder.parent() else { return Ok(Some(self.top.id)) };
        if !self.read.contains_key(&parent) {
            let folders = self.below(&parent)?;
            self.read.insert(parent.clone(), folders);
        }
        Ok(self.read.get(&parent).and_then(|folders| folders.get(folder.file_name())).copied())
    }

    fn below(&self, folder: &RepoPath) -> Result<BTreeMap<BString, ObjectId>, gix::Error> {
        let tree = match folder.is_empty() {
            true => self.top.clone(),
            false => match self.top.lookup_entry(folder.components().map(|part| part.to_vec()))? {
                Some(entry) if entry.mode().is_tree() => entry.object()?.into_tree(),
                _ => return Ok(BTreeMap::new()),
            },
        };
        let entries = tree.iter().filter_map(Result::ok).filter(|entry| entry.mode().is_tree());
        Ok(entries.map(|entry| (entry.filename().to_owned(), entry.object_id())).collect())
    }
}
