//! Locks on files. The system releases the lock of a process that was killed.

use super::{create_dir_all, open_or_create};
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

/// Time between two attempts to take a lock.
const RETRY: Duration = Duration::from_millis(5);

/// A file that this process has locked.
#[derive(Debug)]
pub struct HeldLock(File);

impl HeldLock {
    /// Takes over a file that is locked.
    pub fn new(file: File) -> Self {
        Self(file)
    }

    /// Takes the lock in a file. Waits until no other process holds it.
    ///
    /// # Errors
    /// The file system refused.
    pub fn take(path: &Path) -> io::Result<Self> {
        let file = open_lock(path)?;
        file.lock()?;
        Ok(Self(file))
    }

    /// The same, but gives up when `is_over`; then `None`.
    ///
    /// # Errors
    /// The file system refused.
    pub fn take_until(path: &Path, mut is_over: impl FnMut() -> bool) -> io::Result<Option<Self>> {
        let file = open_lock(path)?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Self(file))),
                Err(TryLockError::WouldBlock) if is_over() => return Ok(None),
                Err(TryLockError::WouldBlock) => std::thread::sleep(RETRY),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }

    /// Takes the lock in a file; `None` if another process holds it.
    ///
    /// # Errors
    /// The file system refused.
    pub fn try_take(path: &Path) -> io::Result<Option<Self>> {
        Self::take_until(path, || true)
    }
}

impl Drop for HeldLock {
    fn drop(&mut self) {
        // Closing is not enough: a process that another thread has just forked has the file open until it starts its program.
        let _ = self.0.unlock();
    }
}

/// Opens the file of a lock. Creates it and its folder if necessary.
pub(crate) fn open_lock(path: &Path) -> io::Result<File> {
    path.parent().map_or(Ok(()), create_dir_all)?;
    open_or_create(File::options().truncate(false).read(true).write(true), path)
}
