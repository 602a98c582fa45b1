//! When a file last changed, by git's history: a checkout resets times on disk, and a commit's does not move.

use gix::ObjectId;
use gix::bstr::BStr;

/// The time of the commit that gave `path` the content that HEAD has, in seconds since 1970; `None` where HEAD does not
/// have it. Commits older than `limit` are not looked behind: then the answer is some time before it.
///
/// As `git log -1 -- PATH`, this follows the first parent that has the file as it is.
///
/// # Errors
/// What gix says, where an object cannot be read. A shallow clone ends where its history does.
pub fn last_change(repo: &gix::Repository, path: &BStr, limit: i64) -> Result<Option<i64>, gix::Error> {
    let Ok(mut commit) = repo.head_commit() else { return Ok(None) };
    let Some(wanted) = blob(&commit, path)? else { return Ok(None) };
    loop {
        let time = commit.time()?.seconds;
        if time < limit {
            return Ok(Some(time));
        }
        let parents: Vec<ObjectId> = commit.parent_ids().map(gix::Id::detach).collect();
        let Some(before) = first_with(repo, &parents, path, wanted)? else { return Ok(Some(time)) };
        commit = before;
    }
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
