//! The time of the last change of a file in git's history. Unlike modification times, it survives a checkout.

use gix::ObjectId;
use gix::bstr::{BStr, ByteSlice as _};
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;
use std::collections::BTreeSet;

/// The prefix of the message of a commit that undoes a dream.
pub const UNDO: &str = "undo dream cycle: ";

/// The time of the commit that gave `path` its content in `rev`, in seconds since 1970. `None` if `rev` does not have
/// the file. The search stops at the first commit older than `limit` and returns its time.
///
/// Like `git log -1 -- PATH`, the search follows the first parent that has the same content. A file restored by
/// undoing a dream keeps the time from before that dream; `None` if no earlier commit had it.
///
/// # Errors
/// An object cannot be read. The border of a shallow clone ends the search without an error.
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

/// The time of HEAD's commit, in seconds since 1970; `None` without a commit that can be read.
pub fn head_time(repo: &gix::Repository) -> Option<i64> {
    Some(repo.head_commit().ok()?.time().ok()?.seconds)
}

fn is_undo(commit: &gix::Commit<'_>) -> Result<bool, gix::Error> {
    Ok(commit.message_raw()?.starts_with(UNDO.as_bytes()))
}

/// The last first-parent ancestor of `undo` that had the content of the file. The search is limited to the dreams of a
/// few years.
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
        // The border of a shallow clone.
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

/// Commits that [`versions`] looks at.
const MAX_COMMITS: usize = 20_000;

/// The contents that a file had in the history of these revisions, the newest first, without those of commits before `since` (in
/// seconds since 1970). A revision that does not exist has no history.
///
/// # Errors
/// An object cannot be read. The border of a shallow clone ends the search without an error.
pub fn versions(repo: &gix::Repository, revs: &[String], path: &BStr, since: i64) -> Result<Vec<Vec<u8>>, gix::Error> {
    let tips = revs.iter().filter_map(|rev| repo.rev_parse_single(rev.as_str()).ok()).map(gix::Id::detach);
    let sorting = Sorting::ByCommitTimeCutoff { order: CommitTimeOrder::NewestFirst, seconds: since };
    let walk = repo.rev_walk(tips).sorting(sorting).all()?;
    let mut seen = BTreeSet::new();
    let mut contents = Vec::new();
    // An undone dream did not happen: its version does not count, unless the file has it at another time.
    let mut undone: Option<ObjectId> = None;
    for commit in walk.take(MAX_COMMITS) {
        let commit = commit?.object()?;
        let id = blob(&commit, path)?;
        let is_undone = undone.is_some() && undone == id;
        if !is_undone {
            undone = None;
        }
        if is_undo(&commit)? {
            undone = version_before(&commit, path)?;
        }
        let Some(id) = id else { continue };
        if !is_undone && seen.insert(id) {
            contents.push(repo.find_object(id)?.detach().data);
        }
    }
    Ok(contents)
}

/// The file's version in the first parent.
fn version_before(commit: &gix::Commit<'_>, path: &BStr) -> Result<Option<ObjectId>, gix::Error> {
    // At the border of a shallow clone, there is no parent.
    let parent = commit.parent_ids().next().and_then(|parent| commit.repo.find_commit(parent.detach()).ok());
    parent.map_or(Ok(None), |parent| blob(&parent, path))
}

/// The commit at which two revisions parted; `None` if one does not exist or they have no commit in common.
///
/// # Errors
/// An object cannot be read.
pub fn merge_base(repo: &gix::Repository, one: &str, other: &str) -> Result<Option<ObjectId>, gix::Error> {
    // Whoever opens a revision that does not exist reports it.
    let commit = |revision: &str| Some(repo.rev_parse_single(revision).ok()?.object().ok()?.peel_to_commit().ok()?.id);
    let (Some(one), Some(other)) = (commit(one), commit(other)) else { return Ok(None) };
    Ok(repo.merge_base(one, other)?.map(gix::Id::detach))
}

/// A commit, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitSummary {
    pub id: ObjectId,
    /// The first line of its message.
    pub subject: String,
    /// Its committer as `Name <address>`.
    pub committer: String,
}

/// The commits of a branch at `to` that were not in it at `from`, newest first. A merge counts as one.
///
/// # Errors
/// An object cannot be read.
pub fn commits_since(repo: &gix::Repository, from: ObjectId, to: ObjectId) -> Result<Vec<CommitSummary>, gix::Error> {
    let walk = repo.rev_walk([to]).with_hidden([from]).first_parent_only().all()?;
    walk.map(|info| {
        let commit = info?.object()?;
        let subject = commit.message()?.title.trim().to_str_lossy().into_owned();
        let who = commit.committer()?;
        Ok(CommitSummary { id: commit.id, subject, committer: format!("{} <{}>", who.name, who.email) })
    })
    .collect()
}
