//! Commits that were made in the work tree of an attempt, by the log of its HEAD.

use gix::ObjectId;
use gix::refs::file::log::iter::forward;

use super::AttemptTree;
use super::registration::Registration;
use crate::git::commit::CommitError;

/// The commits that git logged as made in an attempt's work tree, oldest first, whichever branch they are on now. Empty if git
/// keeps no log.
///
/// # Errors
/// The log cannot be read.
pub fn commits_made(repo: &gix::Repository, tree: &AttemptTree) -> Result<Vec<ObjectId>, CommitError> {
    let Some(registration) = Registration::at(repo, &tree.folder)? else { return Ok(Vec::new()) };
    let path = registration.git_dir.join("logs/HEAD");
    let log = crate::fs::read_if_exists(&path).map_err(|source| CommitError::File { path, source })?;
    // `commit: `, `commit (amend): ` and others; a merge or a pull may only have moved HEAD to what somebody else made.
    // https://git-scm.com/docs/git-commit and builtin/commit.c
    let lines = forward(log.as_deref().unwrap_or_default()).filter_map(Result::ok);
    Ok(lines.filter(|line| line.message.starts_with(b"commit")).map(|line| line.new_oid()).collect())
}
