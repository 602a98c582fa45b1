//! The size of a checkout.

use gix::index::entry::Flags;

use crate::git::commit::CommitError;

/// The bytes that the files of a work tree take on a file system with blocks of this size, as large as they were when git
/// looked at them last.
///
/// # Errors
/// The index cannot be read.
pub fn checkout_size(repo: &gix::Repository, block: u64) -> Result<u64, CommitError> {
    let index = repo.index_or_empty().map_err(CommitError::git("read the index"))?;
    let files = index.entries().iter().filter(|entry| !entry.flags.contains(Flags::SKIP_WORKTREE));
    Ok(files.map(|entry| u64::from(entry.stat.size).next_multiple_of(block)).sum())
}
