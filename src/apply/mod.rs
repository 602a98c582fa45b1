//! Floor 6: the one place that writes into the work tree.
//!
//! A [`Session`] holds the repository's lock. Before its first write it notes in a journal what it is about to do, so
//! that the next run tells an unfinished run from a person's edit; each file is replaced by a rename; the lock file
//! comes last.

mod due;
mod journal;
mod kept;
pub mod log;
pub mod log_transaction;
pub mod reminded;
mod rename;
mod session;
mod stage;
pub mod standalone_file;
mod temporary;
mod write;

pub use due::first_sync_is_due;
pub use journal::Intent;
pub use session::{Session, WritePlan, unfinished};

use crate::syntax::RepoPath;

/// Why applying ended early. What was written stays; the next run goes on from there.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// Another run holds the repository's lock.
    #[error("another canonry run is at work in this repository; wait for it and run this again")]
    Busy,
    /// The file system refused.
    #[error("{path}: {action}: {source}; nothing is half-written, run this again once that is mended")]
    Io {
        /// Where.
        path: String,
        /// What was tried.
        action: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// Ctrl-C.
    #[error("interrupted; what was written is whole, run this again to finish")]
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
    /// Paths that got another name, each with that.
    pub renamed: Vec<(RepoPath, RepoPath)>,
    /// Paths that changed between deciding and writing, and were left as they are.
    pub conflicts: Vec<RepoPath>,
    /// Where copies of what was replaced by force lie, by the path they had.
    pub backups: Vec<(RepoPath, std::path::PathBuf)>,
}
