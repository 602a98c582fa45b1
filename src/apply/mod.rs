//! Layer 5: the one place that writes into the work tree.
//!
//! A [`Session`] holds the repository's lock. Before its first write it records in the journal what it is about to do, so
//! that the next run can tell an unfinished run from a user's edit. Each file is replaced by a rename, and the lock file
//! of the mirrors is written last.

mod backup;
pub mod constraint_cache;
pub mod held_lock;
mod journal;
pub mod journal_file;
pub mod log_file;
pub mod log_transaction;
pub mod reminders;
mod session;
mod staged_folders;
pub mod standalone_file;
pub mod state_file;
mod temporary;
mod writer;

pub use session::{Session, WritePlan, first_sync_is_due, unfinished};
pub use temporary::{write_atomically, write_derived};

use crate::syntax::RepoPath;
use std::path::PathBuf;

/// Why applying ended early. Files that were written stay; the next run continues from there.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// Another run holds the repository's lock.
    #[error("another canonry run is active in this repository; wait for it to end and run this again")]
    Busy,
    /// The file system reported an error.
    #[error("{path}: {action}: {source}; no file is half-written, run this again once the cause is fixed")]
    Io {
        /// The file or folder.
        path: String,
        /// What failed.
        action: &'static str,
        /// The system's error.
        source: std::io::Error,
    },
    /// The run was cancelled, for example by Ctrl-C.
    #[error("interrupted; no file is half-written, run this again to finish")]
    Interrupted,
}

impl ApplyError {
    pub(crate) fn io(path: impl ToString, action: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_string();
        move |source| Self::Io { path, action, source }
    }
}

/// What a run wrote.
#[derive(Debug, Default)]
pub struct Applied {
    /// Paths written.
    pub written: Vec<RepoPath>,
    /// Paths removed.
    pub removed: Vec<RepoPath>,
    /// Renamed paths, each with its new name.
    pub renamed: Vec<(RepoPath, RepoPath)>,
    /// Paths that changed between planning and writing, and were left alone.
    pub conflicts: Vec<RepoPath>,
    /// Backups of files that were overwritten by force, by the files' paths.
    pub backups: Vec<(RepoPath, PathBuf)>,
}
