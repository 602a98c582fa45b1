//! The pending log: rows of hooks and runs that wait in git's folder until a dream moves them to the log. There, git
//! does not see them, and all work trees of the repository share them.

use super::ApplyError;
use super::log_file::{append_missing, append_with, lock_in, take};
use crate::fs as writes;
use canonry_model::canon::layout::PENDING_LOG;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The pending log of a canon. Its lock is its own: moving rows takes both.
#[derive(Clone, Debug)]
pub struct PendingLog {
    file: PathBuf,
    lock: PathBuf,
}

impl PendingLog {
    /// `folder` is the folder for canonry's state that all work trees share.
    pub fn new(folder: &Path) -> Self {
        Self { file: folder.join(PENDING_LOG), lock: folder.join("canonry/pending.lock") }
    }

    /// The file. It does not exist while no row waits.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Appends a row without line ending. Waits for the lock at most as long as `wait`.
    ///
    /// # Errors
    /// [`ApplyError::Io`]; then nothing was appended.
    pub fn append(&self, row: &[u8], wait: Option<Duration>) -> Result<(), ApplyError> {
        append_with(&self.lock, &self.file, row, wait)
    }

    /// Appends the rows of `from` that neither it nor `known` has. Can be repeated.
    ///
    /// # Errors
    /// [`ApplyError::Io`]; then none or all of the rows were appended.
    pub fn append_missing(&self, from: &[u8], known: &[u8]) -> Result<(), ApplyError> {
        append_missing(&self.lock, &self.file, from, known)
    }

    /// Moves all rows to the log. The lock is held meanwhile, so that no row is appended to a file that is about to be removed.
    /// Can be repeated after a kill. Returns whether there were any.
    ///
    /// # Errors
    /// [`ApplyError::Io`]; then each row is in at least one of the two files.
    pub fn move_to(&self, git_dir: &Path, log: &Path) -> Result<bool, ApplyError> {
        if !self.file.exists() {
            return Ok(false);
        }
        let _lock = take(&self.lock, None)?;
        let rows = crate::fs::read_if_exists(&self.file);
        let Some(rows) = rows.map_err(ApplyError::io(self.file.display(), "cannot be read"))? else { return Ok(false) };
        append_missing(&lock_in(git_dir), log, &rows, b"")?;
        writes::remove_file(&self.file).map_err(ApplyError::io(self.file.display(), "cannot be removed"))?;
        Ok(true)
    }
}
