//! Evidence in git for the work of an attempt: its commit, the changes in it, and whether files ever existed.

use super::commit::CommitError;
use super::diff::{ChangedFile, changed_files};
use canonry_text::RepoPath;
use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::diff::blob::{Algorithm, Diff, InternedInput};
use gix::objs::Kind;
use std::collections::BTreeSet;

/// Bounds of a search through the history. Beyond them it has no answer.
const MAX_COMMITS: usize = 2_000;
const MAX_PATHS: usize = 200;
/// Larger files are data; their lines are not counted.
const MAX_TEXT: usize = 4 << 20;

/// Object that an id in a report names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedObject {
    Missing,
    Commit(ObjectId),
    Other,
    /// Several objects have the prefix.
    Ambiguous,
}

/// Looks up the object with an id or the prefix of one. Names of branches are not accepted.
///
/// # Errors
/// The object database cannot be read.
pub fn find_object(repo: &gix::Repository, hex: &str) -> Result<NamedObject, gix::Error> {
    let Ok(prefix) = gix::hash::Prefix::from_hex(hex) else { return Ok(NamedObject::Missing) };
    let id = match repo.objects.lookup_prefix(prefix, None)? {
        None => return Ok(NamedObject::Missing),
        Some(Err(())) => return Ok(NamedObject::Ambiguous),
        Some(Ok(id)) => id,
    };
    let kind = repo.find_header(id)?.kind();
    Ok(if kind == Kind::Commit { NamedObject::Commit(id) } else { NamedObject::Other })
}

/// Whether the tree of a commit has a file or a folder at a path from the top of the repository.
///
/// # Errors
/// An object cannot be read.
pub fn has_path(repo: &gix::Repository, commit: ObjectId, path: &RepoPath) -> Result<bool, gix::Error> {
    let tree = repo.find_commit(commit)?.tree()?;
    let entry = tree.lookup_entry(path.components().map(|part| part.as_bytes()))?;
    Ok(entry.is_some())
}

/// The files that a commit changes, compared with its first parent; `None` for the first commit of a history.
///
/// # Errors
/// An object cannot be read.
pub fn changes_in(repo: &gix::Repository, commit: ObjectId) -> Result<Option<Vec<ChangedFile>>, CommitError> {
    let fail = CommitError::git("read a commit");
    let parent = repo.find_commit(commit).map_err(fail)?.parent_ids().next().map(gix::Id::detach);
    parent.map(|parent| changed_files(repo, parent, commit)).transpose()
}

/// The added and removed lines between two texts; 0 if one is binary or very large.
pub fn count_lines(before: &[u8], after: &[u8]) -> u64 {
    let is_text = |bytes: &[u8]| bytes.len() <= MAX_TEXT && !bytes.iter().take(8_000).any(|byte| *byte == 0);
    if !is_text(before) || !is_text(after) {
        return 0;
    }
    let diff = Diff::compute(Algorithm::Histogram, &InternedInput::new(before, after));
    u64::from(diff.count_additions()) + u64::from(diff.count_removals())
}

/// The paths that no commit in the history of `rev` has; paths start at the top of the repository. `None` if the history is
/// cut off or too long to tell.
///
/// # Errors
/// An object cannot be read.
pub fn never_existed(
    repo: &gix::Repository,
    rev: &str,
    paths: BTreeSet<RepoPath>,
) -> Result<Option<BTreeSet<RepoPath>>, gix::Error> {
    let mut left = paths;
    let Ok(tip) = repo.rev_parse_single(rev) else { return Ok(None) };
    if left.len() > MAX_PATHS || repo.is_shallow()? {
        return Ok(None);
    }
    let walk = repo.rev_walk([tip.detach()]).all()?;
    for (count, commit) in walk.enumerate() {
        if left.is_empty() {
            break;
        }
        if count == MAX_COMMITS {
            return Ok(None);
        }
        let id = commit?.id;
        let mut gone = Vec::new();
        for path in &left {
            if has_path(repo, id, path)? {
                gone.push(path.clone());
            }
        }
        for path in gone {
            left.remove(&path);
        }
    }
    Ok(Some(left))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_added_and_removed_lines() {
        for (before, after, want) in [
            ("", "", 0),
            ("", "a\nb\n", 2),
            ("a\nb\n", "", 2),
            ("a\nb\n", "a\nc\n", 2),
            ("a\n", "a\nb\n", 1),
            ("a\0", "b", 0),
        ] {
            assert_eq!(count_lines(before.as_bytes(), after.as_bytes()), want, "{before:?} {after:?}");
        }
    }
}
