//! A file of lines that several processes append to and nobody changes.

use crate::fs as writes;
use crate::fs::lock::HeldLock;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// An open journal.
#[derive(Debug)]
pub struct JournalFile {
    path: PathBuf,
    file: File,
}

impl JournalFile {
    /// Creates a journal with its first lines, which are complete once the file has its name.
    ///
    /// # Errors
    /// The file exists already, or the file system refused.
    pub fn create(path: &Path, bytes: &[u8]) -> io::Result<Self> {
        let folder = path.parent().unwrap_or_else(|| Path::new("."));
        let mut temporary = writes::temporary_file(&tempfile::Builder::new(), folder)?;
        writes::write_all(&mut temporary, bytes)?;
        writes::sync_all(temporary.as_file())?;
        writes::persist_noclobber(temporary.into_temp_path(), path)?;
        Self::open(path)
    }

    /// Opens a journal.
    ///
    /// # Errors
    /// There is no regular file, or it is not writable.
    pub fn open(path: &Path) -> io::Result<Self> {
        if !std::fs::symlink_metadata(path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        Ok(Self { path: path.to_owned(), file: OpenOptions::new().read(true).append(true).open(path)? })
    }

    /// Waits until no other process appends. The lock holds until it is dropped, or the process ends.
    ///
    /// # Errors
    /// The file system refused.
    pub fn lock(&self) -> io::Result<HeldLock> {
        // A lock belongs to an open file, and this one stays open.
        let file = crate::fs::open(&self.path)?;
        file.lock()?;
        Ok(HeldLock::new(file))
    }

    /// The bytes from an offset to the end.
    ///
    /// # Errors
    /// The file system refused.
    pub fn read_from(&mut self, offset: u64) -> io::Result<Vec<u8>> {
        self.file.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Appends whole lines. After an error, the last line may be torn; the next append repairs it.
    ///
    /// # Errors
    /// The file system refused.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        writes::write_all(&mut self.file, bytes)
    }

    /// Waits until the disk has all lines. Without it, a crash of the system, unlike that of a process, can lose the last
    /// ones.
    ///
    /// # Errors
    /// The file system refused.
    pub fn sync(&self) -> io::Result<()> {
        writes::sync_all(&self.file)
    }
}
