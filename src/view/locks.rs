//! The locks of the mirrors as a view has them.
//!
//! Where git ignores the mirrors there are two: what sync wrote into files that are committed stands in the lock that is
//! committed with them, and what it wrote into the mirrors of this work tree in one that is not.

use super::scope::Purpose;
use super::{View, ViewError};
use crate::canon::blob::BlobError;
use crate::canon::{Blob, FileState, Layout};
use crate::config::ToolFilesConfig;
use crate::mirror::Lock;
use crate::mirror::lock::LockError;
use crate::mirror::merge::has_conflict;
use crate::syntax::RepoPath;

/// Why there is no survey.
#[derive(Debug, thiserror::Error)]
pub enum SurveyError {
    /// The view failed.
    #[error(transparent)]
    View(#[from] ViewError),
    /// Something stands in the place of the lock that has no content.
    #[error("{path}: {missing}")]
    NoLock {
        /// Where the lock lies.
        path: RepoPath,
        /// Why there is none.
        missing: BlobError,
    },
    /// The lock holds the conflict of a merge.
    #[error("{path}: {problem}")]
    Conflict {
        /// Where the lock lies.
        path: RepoPath,
        /// Where it begins.
        problem: LockError,
    },
    /// The lock cannot be read.
    #[error("{path}: {problem}")]
    Lock {
        /// Where the lock lies.
        path: RepoPath,
        /// What is wrong.
        problem: LockError,
    },
}

/// What is ours, by all locks there are.
pub(super) struct Locks {
    /// Their entries.
    pub ours: Lock,
    /// Whether the one that is committed holds the conflict of a merge.
    pub conflict: bool,
}

/// The lock that names what is ours in the mirrors of a view. Where there is none, nothing was ever mirrored.
pub fn lock_of_mirrors(view: &View, layout: &Layout, files: &ToolFilesConfig) -> RepoPath {
    if files.git.ignore && view.is_work_tree() { layout.local_lock() } else { layout.lock() }
}

/// Reads them. `sides`: those of a merge of the lock that git has not ended yet.
///
/// # Errors
/// See [`SurveyError`].
pub(super) fn read(
    view: &View,
    layout: &Layout,
    purpose: Purpose,
    sides: Option<&Vec<FileState>>,
) -> Result<Locks, SurveyError> {
    let (lock, conflict) = read_one(view, &layout.lock(), purpose)?;
    let mut ours = lock.unwrap_or_default();
    if let Some(sides) = sides.filter(|_| purpose == Purpose::Sync) {
        ours = ours.with(entries_of(view, sides));
    }
    // Read also where the mirrors are committed by now: it says what an earlier config made of this work tree.
    if let (Some(local), _) = read_one(view, &layout.local_lock(), purpose)? {
        ours = ours.with(local.entries().iter().cloned());
    }
    Ok(Locks { ours, conflict })
}

/// A lock, and whether it holds a conflict.
fn read_one(view: &View, path: &RepoPath, purpose: Purpose) -> Result<(Option<Lock>, bool), SurveyError> {
    match view.read(path, u64::MAX) {
        Blob::Missing(BlobError::Absent) => Ok((None, false)),
        Blob::Missing(missing) => Err(SurveyError::NoLock { path: view.full(path), missing }),
        Blob::Bytes(bytes) => {
            let unites = purpose == Purpose::Sync && has_conflict(&bytes);
            let lock = if unites { Lock::parse_conflicted(&bytes) } else { Lock::parse(&bytes) };
            let error = |problem| match !unites && has_conflict(&bytes) {
                true => SurveyError::Conflict { path: view.full(path), problem },
                false => SurveyError::Lock { path: view.full(path), problem },
            };
            lock.map(|lock| (Some(lock), unites)).map_err(error)
        }
    }
}

/// What the sides of a lock that is not merged yet say is ours, also where its file in the work tree is that of one side.
fn entries_of(view: &View, sides: &[FileState]) -> Vec<(RepoPath, FileState)> {
    let locks = sides.iter().filter_map(|side| Lock::parse(&view.blob(side.id)?).ok());
    locks.flat_map(|lock| lock.entries().to_vec()).collect()
}
