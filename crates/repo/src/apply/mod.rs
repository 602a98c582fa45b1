//! The one place that writes into the work tree.
//!
//! A [`Session`] holds the repository's lock. Before its first write it records in the journal what it is about to do, so
//! that the next run can tell an unfinished run from a user's edit. Each file is replaced by a rename, and the lock file
//! of the mirrors is written last.

mod backup;
mod displaced;
mod journal;
pub mod journal_file;
pub mod log_file;
pub mod log_transaction;
pub mod pending_log;
pub mod reminders;
mod session;
mod staged_folders;
pub mod standalone_file;
pub mod state_file;
mod temporary;
mod writer;

pub use session::{Session, WritePlan, first_sync_is_due, unfinished};
pub use temporary::{write_atomically, write_derived};

use crate::view::View;
use canonry_model::canon::tree::blob_id;
use canonry_model::canon::{FileMode, FileState};
use canonry_model::edit::{Edit, EditContent};
use canonry_text::RepoPath;
use std::collections::BTreeMap;
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
        /// Action that failed.
        action: &'static str,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file is not in this repository.
    #[error("{path}: {place}; canonry writes only into this repository, and nothing was changed")]
    Elsewhere {
        /// The file.
        path: RepoPath,
        /// Where it is.
        place: String,
    },
    /// The run was cancelled, for example by Ctrl-C.
    #[error("interrupted; no file is half-written, run this again to finish")]
    Interrupted,
}

impl ApplyError {
    pub fn io(path: impl ToString, action: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_string();
        move |source| Self::Io { path, action, source }
    }
}

/// Files that a run wrote.
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
    /// The sources that changed before they were copied, by the paths of their copies, which are conflicts.
    pub changed_sources: BTreeMap<RepoPath, RepoPath>,
    /// Backups of content that a person wrote, by the files' paths.
    pub backups: Vec<(RepoPath, PathBuf)>,
    /// Backups of removed files whose content is in no commit and not in the index.
    pub only_copies: Vec<(RepoPath, PathBuf)>,
}

impl Applied {
    /// Whether nothing was written, removed or backed up.
    pub fn is_empty(&self) -> bool {
        self.written.is_empty() && self.removed.is_empty() && self.backups.is_empty()
    }

    /// The files that changed meanwhile: those that were not written, or their sources.
    pub fn changed(&self) -> impl Iterator<Item = &RepoPath> {
        self.conflicts.iter().map(|path| self.changed_sources.get(path).unwrap_or(path))
    }

    /// Adds what the next attempt wrote.
    pub fn continue_with(&mut self, next: Self) {
        self.written.extend(next.written);
        self.removed.extend(next.removed);
        self.renamed.extend(next.renamed);
        self.backups.extend(next.backups);
        self.only_copies.extend(next.only_copies);
        self.written.sort();
        self.written.dedup();
        self.conflicts = next.conflicts;
        self.changed_sources = next.changed_sources;
    }

    /// Takes out the files that somebody changed while they were displaced.
    fn add_settled(&mut self, settled: displaced::Settled) {
        self.backups.extend(settled.backups);
        self.written.retain(|path| !settled.conflicts.contains(path));
        self.removed.retain(|path| !settled.conflicts.contains(path));
        self.conflicts.extend(settled.conflicts);
    }
}

/// The edit that gives one of canonry's locks this content, or removes it; `None` if there is nothing to remove.
pub fn lock_edit(view: &View, path: RepoPath, text: Option<Vec<u8>>) -> Option<Edit> {
    let mut probe = view.probe();
    let was = probe.state(&path);
    match text {
        None => was.map(|was| Edit::Remove { path, was }),
        Some(text) => {
            let id = probe.id_of(&path, &text).unwrap_or_else(|| blob_id(&text, view.object_hash()));
            let now = FileState { id, mode: FileMode::File };
            Some(Edit::Write { path, content: EditContent::Bytes(text), was, now })
        }
    }
}
