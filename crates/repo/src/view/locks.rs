//! Reads the locks of the mirrors.
//!
//! If git ignores the mirrors, there are two locks. The committed lock has what sync wrote into committed files. The local
//! lock, which is not committed, has what sync wrote into the mirrors of this work tree.

use super::{View, ViewError};
use canonry_mirror::Lock;
use canonry_mirror::lock::LockError;
use canonry_model::canon::blob::BlobError;
use canonry_model::canon::{Blob, FileState, Layout};
use canonry_model::config::ToolFilesConfig;
use canonry_text::RepoPath;
use canonry_text::conflict::has_conflict;

/// Purpose of a survey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurveyPurpose {
    /// To report drift. Mirrors with the same tree id as the canon are not read.
    Check,
    /// To write.
    Sync,
}

/// Why the mirrors cannot be surveyed.
#[derive(Debug, thiserror::Error)]
pub enum SurveyError {
    /// The view cannot be read.
    #[error(transparent)]
    View(#[from] ViewError),
    /// The lock cannot be read.
    #[error("{path}: {error}")]
    UnreadableLock {
        /// The path of the lock.
        path: RepoPath,
        /// The reason.
        error: BlobError,
    },
    /// The lock is invalid.
    #[error("{path}: {error}")]
    InvalidLock {
        /// The path of the lock.
        path: RepoPath,
        error: LockError,
    },
}

/// All locks together.
pub(super) struct Locks {
    /// The owned files.
    pub owned: Lock,
    /// The locks as they are, without the versions of an unmerged lock.
    pub recorded: Lock,
    /// Whether the committed lock has conflict markers.
    pub has_conflict: bool,
}

/// The path of the lock for the mirrors of a view. If it does not exist, nothing has been synced.
pub fn lock_of_mirrors(view: &View, layout: &Layout, files: &ToolFilesConfig) -> RepoPath {
    if files.git.ignore && view.is_work_tree() { layout.local_lock() } else { layout.lock() }
}

/// The files that the locks own. A lock that cannot be read owns nothing; a rule of its own reports it.
pub fn owned(view: &View, layout: &Layout) -> Lock {
    read(view, layout, None).map(|locks| locks.owned).unwrap_or_default()
}

/// Reads all locks; `sides` are the versions of an unmerged lock in the index. From a lock with conflict markers, the entries
/// of both sides count as owned.
///
/// # Errors
/// See [`SurveyError`].
pub(super) fn read(view: &View, layout: &Layout, sides: Option<&Vec<FileState>>) -> Result<Locks, SurveyError> {
    let (lock, has_conflict) = read_lock(view, &layout.lock())?;
    let mut recorded = lock.unwrap_or_default();
    // Read even if the mirrors are committed now: it has what an earlier configuration wrote into this work tree.
    if let (Some(local), _) = read_lock(view, &layout.local_lock())? {
        recorded = recorded.with(local.entries().iter().cloned());
    }
    let mut owned = recorded.clone();
    if let Some(sides) = sides {
        owned = owned.with(entries_of_sides(view, sides));
    }
    Ok(Locks { owned, recorded, has_conflict })
}

/// A lock, and whether it was read from both sides of a conflict.
fn read_lock(view: &View, path: &RepoPath) -> Result<(Option<Lock>, bool), SurveyError> {
    match view.read_kept(path, u64::MAX) {
        Blob::Missing(BlobError::Absent) => Ok((None, false)),
        Blob::Missing(error) => Err(SurveyError::UnreadableLock { path: view.full(path), error }),
        Blob::Bytes(bytes) => {
            let has_conflict = has_conflict(&bytes);
            let lock = if has_conflict { Lock::parse_conflicted(&bytes) } else { Lock::parse(&bytes) };
            let lock = lock.map_err(|error| SurveyError::InvalidLock { path: view.full(path), error })?;
            Ok((Some(lock), has_conflict))
        }
    }
}

/// The entries of both sides of an unmerged lock, because the file in the work tree may be that of one side.
fn entries_of_sides(view: &View, sides: &[FileState]) -> Vec<(RepoPath, FileState)> {
    // A side that is no lock owns nothing, so that nothing is overwritten because of it.
    let locks = sides.iter().filter_map(|side| Lock::parse(&view.blob(side.id)?).ok());
    locks.flat_map(|lock| lock.entries().to_vec()).collect()
}
