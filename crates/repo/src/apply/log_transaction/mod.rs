//! Moves rows between files, so that each row is in exactly one file after a run, even if the run was killed.
//!
//! Every new content is first written to a draft beside its file and flushed to disk. Then the transaction is written to
//! the journal, and then each draft is renamed over its file, the log last. A run that finds the entry of another
//! transaction continues it: a draft that no longer exists is in place.

mod added_range;
mod draft;
mod finish;
mod old_log;
mod prepare;
mod rebase;
mod rebuild;
mod undo;
mod undo_store;

pub use super::journal::PendingCommit;
use super::journal::{LogEntry, Purpose, remove_record, save_record};
use super::temporary::remove_temporaries;
use super::{ApplyError, Session};
use crate::view::View;
use crate::view::log::LogPrefix;
use canonry_memory::LineExtent;
use canonry_text::RepoPath;
pub use old_log::OldLog;
use std::borrow::Cow;
use std::path::PathBuf;
pub use undo::{DreamRecord, UndoneFile};

/// The changes of a transaction.
#[derive(Debug)]
pub struct LogChanges<'a> {
    /// The log that rows leave.
    pub log: Option<LogSplit<'a>>,
    /// Other files.
    pub files: Vec<FileChange<'a>>,
    /// The commit to make afterwards.
    pub commit: Option<PendingCommit>,
}

/// A log whose lines move to several files.
#[derive(Debug)]
pub struct LogSplit<'a> {
    /// The log.
    pub path: RepoPath,
    /// The content that the moves were planned for.
    pub mark: LogPrefix,
    /// The files that lines move to, each with the header of a new file.
    pub to: Vec<(RepoPath, &'static str)>,
    /// The lines that move, in their order. Everything else stays, byte for byte.
    pub moved: Vec<MovedLine<'a>>,
}

/// A line that moves.
#[derive(Debug)]
pub struct MovedLine<'a> {
    /// Its position in the log.
    pub extent: LineExtent,
    /// The index of the file that it moves to.
    pub to: usize,
    /// The text to insert before it; may be empty.
    pub heading: Cow<'a, str>,
}

/// A file that changes.
#[derive(Debug)]
pub enum FileChange<'a> {
    /// Text is appended to `before`, or to the content of the file at that time.
    Append {
        /// The file.
        path: RepoPath,
        /// Its content; `None` if it does not exist.
        before: Option<&'a [u8]>,
        /// The text to append.
        text: String,
    },
    /// The content is replaced, unless it is no longer `before`.
    Replace {
        /// The file.
        path: RepoPath,
        /// Its content; `None` if it does not exist.
        before: Option<&'a [u8]>,
        /// Its new content.
        now: &'a [u8],
    },
    /// Text is inserted, unless the content is no longer `before`. Undoing it removes the text and keeps later edits elsewhere.
    Insert {
        /// The file.
        path: RepoPath,
        /// Its content.
        before: &'a [u8],
        /// The offset of the text.
        at: usize,
        /// The text.
        text: &'a str,
    },
}

impl FileChange<'_> {
    /// The file.
    pub fn path(&self) -> &RepoPath {
        let (Self::Append { path, .. } | Self::Replace { path, .. } | Self::Insert { path, .. }) = self;
        path
    }
}

/// A transaction that is prepared: every draft is written, and the journal has its entry.
pub struct LogTransaction<'s> {
    session: &'s Session,
    view: &'s View,
    entry: LogEntry,
    origin: TransactionOrigin,
}

/// Who prepared a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TransactionOrigin {
    /// This run, which has just read the files.
    ThisRun,
    /// An earlier run. The files may have changed since.
    EarlierRun,
}

/// Why a transaction was not prepared.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// The log is not the one that the moves were planned for. Plan again.
    #[error("the log changed while it was read")]
    Changed,
    /// The file system reported an error.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

/// Why a dream was not undone. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// The part that the dream wrote was changed since.
    #[error("{path}: the part that the dream wrote has changed since")]
    Changed {
        /// The file.
        path: RepoPath,
    },
    /// The file that the dream wrote to does not exist any more.
    #[error("{path}: the file does not exist any more, with what the dream wrote to it")]
    Missing {
        /// The file.
        path: RepoPath,
    },
    /// The file system reported an error.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

/// Result of a transaction.
#[derive(Debug, Default)]
pub struct TransactionOutcome {
    /// Files that changed in the meantime, and were left alone.
    pub conflicts: Vec<RepoPath>,
    /// Whether the log was replaced by another one, so that the transaction was abandoned.
    pub abandoned: bool,
    /// The old log, to which a program that takes no locks may still write.
    pub old_log: Option<OldLog>,
}

impl<'s> LogTransaction<'s> {
    /// The transaction that another run left unfinished.
    ///
    /// # Errors
    /// The journal's entry cannot be read.
    pub fn unfinished(session: &'s Session, view: &'s View) -> Result<Option<Self>, ApplyError> {
        let entry = session.unfinished_log()?;
        Ok(entry.map(|entry| Self { session, view, entry, origin: TransactionOrigin::EarlierRun }))
    }

    /// The commit to make.
    pub fn pending_commit(&self) -> Option<&PendingCommit> {
        self.entry.commit.as_ref()
    }

    /// Whether it undoes a dream.
    pub fn is_undo(&self) -> bool {
        self.entry.purpose == Purpose::Undo
    }

    /// Records the id of the commit that was made.
    ///
    /// # Errors
    /// The file system reported an error.
    pub fn record_commit(&mut self, id: String) -> Result<(), ApplyError> {
        let Purpose::Dream(dream) = &mut self.entry.purpose else { return Ok(()) };
        dream.commit = Some(id);
        self.save()
    }

    /// Removes the transaction from the journal, after everything is done.
    ///
    /// # Errors
    /// The file system reported an error.
    pub fn close(self) -> Result<(), ApplyError> {
        let folder = self.session.folder();
        // If the run is killed between the two steps, the next one finds nothing left to do and closes again.
        let closed = match self.entry.purpose {
            Purpose::Edit | Purpose::Abandoned => Ok(()),
            Purpose::Dream(_) => save_record(folder, &self.entry),
            Purpose::Undo => match LogEntry::from_stack(self.entry.earlier) {
                Some(record) => save_record(folder, &record),
                None => remove_record(folder),
            },
        };
        let closed = closed.and_then(|()| self.session.save_log(None));
        undo_store::sweep(self.session);
        closed.map_err(ApplyError::io(folder.display(), "the journal cannot be closed"))
    }

    fn save(&self) -> Result<(), ApplyError> {
        let saved = self.session.save_log(Some(&self.entry));
        saved.map_err(ApplyError::io(self.session.folder().display(), "the journal cannot be written"))
    }

    fn on_disk(&self, path: &str) -> Result<PathBuf, ApplyError> {
        on_disk(self.view, &RepoPath::from(path))
    }
}

/// Removes the drafts in these folders that a run left that was killed before it wrote the journal.
pub fn sweep(session: &Session, view: &View, folders: &[RepoPath]) {
    remove_temporaries(session.folder());
    undo_store::sweep(session);
    folders.iter().filter_map(|folder| view.on_disk(folder)).for_each(|folder| remove_temporaries(&folder));
}

fn on_disk(view: &View, path: &RepoPath) -> Result<PathBuf, ApplyError> {
    let none = || std::io::Error::new(std::io::ErrorKind::InvalidInput, "there is no work tree");
    view.on_disk(path).ok_or_else(none).map_err(ApplyError::io(path, "cannot be written"))
}
