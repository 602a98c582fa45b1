//! Appending to a log that others append to, and that a dream replaces.

use super::ApplyError;
use crate::fs as writes;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// Held for as long as an append takes, and by a dream while it puts the new log in place of the old: never for the
/// whole of a dream.
#[derive(Debug)]
pub(super) struct LogLock {
    _file: File,
}

impl LogLock {
    /// Waits for it; a process that was killed does not hold it.
    pub fn take(folder: &Path) -> io::Result<Self> {
        writes::create_dir_all(folder)?;
        let file = writes::open_or_create(File::options().truncate(false).write(true), &folder.join("log.lock"))?;
        file.lock()?;
        Ok(Self { _file: file })
    }
}

/// Appends a line, which is given without its line ending, in one write. `shown` is the log's path as people know it.
///
/// # Errors
/// [`ApplyError::Io`]; then the log is as it was.
pub fn append(git_dir: &Path, log: &Path, line: &[u8]) -> Result<(), ApplyError> {
    let folder = git_dir.join("canonry");
    let lock = LogLock::take(&folder).map_err(ApplyError::io(folder.display(), "the log's lock cannot be taken"))?;
    let appended = append_held(log, line).map_err(ApplyError::io(log.display(), "cannot be written"));
    drop(lock);
    appended
}

fn append_held(log: &Path, line: &[u8]) -> io::Result<()> {
    if let Some(folder) = log.parent() {
        writes::create_dir_all(folder)?;
    }
    let mut file = writes::open_or_create(OpenOptions::new().read(true).append(true), log)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
    }
    let mut row = Vec::with_capacity(line.len() + 2);
    if !ends_a_line(&mut file, meta.len())? {
        row.push(b'\n');
    }
    row.extend_from_slice(line);
    row.push(b'\n');
    writes::write_all(&mut file, &row).inspect_err(|_| {
        // Half a row, as on a full disk, would be taken for one.
        let _ = writes::set_len(&file, meta.len());
    })
}

/// Whether the next line can begin at the end: a line that someone has torn is not to be continued by ours.
pub(super) fn ends_a_line(file: &mut File, length: u64) -> io::Result<bool> {
    if length == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::Start(length - 1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}
