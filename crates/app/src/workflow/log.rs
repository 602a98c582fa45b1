//! Readable log of a run.

use super::open_run::run_journal;
use super::run_journal::RunJournal;
use crate::{Error, Workspace};
pub use canonry_runs::workflow::event::JournalEntry;

/// A reader of a run's journal, which sees each entry once.
#[derive(Debug)]
pub struct LogReader {
    journal: RunJournal,
    shown: usize,
}

impl LogReader {
    /// Opens the journal of a run.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable) if there is no such run, or its journal is damaged.
    pub fn open(workspace: &Workspace, run: &str) -> Result<Self, Error> {
        Ok(Self { journal: run_journal(workspace, run)?.1, shown: 0 })
    }

    /// The entries since the last look.
    ///
    /// # Errors
    /// The journal is damaged or cannot be read any more.
    pub fn read(&mut self) -> Result<&[JournalEntry], Error> {
        self.journal.refresh_if_changed()?;
        let new = self.journal.entries.get(self.shown..).unwrap_or_default();
        self.shown = self.journal.entries.len();
        Ok(new)
    }

    /// Whether the run has ended.
    pub fn is_ended(&self) -> bool {
        self.journal.state.is_ended()
    }
}
