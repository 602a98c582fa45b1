//! A lock on a file.

use std::fs::File;

/// A file that this process has locked.
#[derive(Debug)]
pub struct HeldLock(File);

impl HeldLock {
    /// Takes over a file that is locked.
    pub fn new(file: File) -> Self {
        Self(file)
    }
}

impl Drop for HeldLock {
    fn drop(&mut self) {
        // Closing is not enough: a process that another thread has just forked has the file open until it starts its program.
        let _ = self.0.unlock();
    }
}
