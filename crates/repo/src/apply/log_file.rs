//! Appending to the episode log, which other processes append to and a dream replaces.

use super::ApplyError;
use super::held_lock::HeldLock;
use crate::fs as writes;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};

/// The log's lock. An append holds it until the line is written, and a dream only while it replaces the log.
#[derive(Debug)]
pub(super) struct LogLock {
    _file: HeldLock,
}

impl LogLock {
    /// Waits until no other process holds the lock. The system releases the lock of a process that was killed.
    pub fn take(folder: &Path) -> io::Result<Self> {
        writes::create_dir_all(folder)?;
        let file = writes::open_or_create(File::options().truncate(false).write(true), &folder.join("log.lock"))?;
        file.lock()?;
        Ok(Self { _file: HeldLock::new(file) })
    }

    /// Waits at most `limit`.
    fn take_within(folder: &Path, limit: Duration) -> io::Result<Self> {
        writes::create_dir_all(folder)?;
        let file = writes::open_or_create(File::options().truncate(false).write(true), &folder.join("log.lock"))?;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: HeldLock::new(file) }),
                Err(TryLockError::WouldBlock) if start.elapsed() >= limit => {
                    let message = format!("another process has held it for {} ms", limit.as_millis());
                    return Err(io::Error::new(io::ErrorKind::TimedOut, message));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(RETRY.min(limit)),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}

/// Time between two attempts to take the lock.
const RETRY: Duration = Duration::from_millis(5);

/// Appends `line`, which has no line ending, in one write. Waits for the lock at most as long as `wait`.
///
/// # Errors
/// [`ApplyError::Io`]; then the log is unchanged.
pub fn append(git_dir: &Path, log: &Path, line: &[u8], wait: Option<Duration>) -> Result<(), ApplyError> {
    let folder = git_dir.join("canonry");
    let lock = wait.map_or_else(|| LogLock::take(&folder), |limit| LogLock::take_within(&folder, limit));
    let lock = lock.map_err(ApplyError::io(folder.display(), "the log's lock cannot be taken"))?;
    let appended = append_locked(log, line).map_err(ApplyError::io(log.display(), "cannot be written"));
    drop(lock);
    appended
}

/// Checks that a log can be written. A log without write permission is a wish, even if this user may ignore it.
///
/// # Errors
/// The log exists and is read-only.
pub fn ensure_writable(log: &Path) -> io::Result<()> {
    let meta = match std::fs::metadata(log) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        meta => meta?,
    };
    if meta.is_file() && meta.permissions().readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    match writes::open_to_append(log) {
        Err(error) if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => {
            Err(error)
        }
        _ => Ok(()),
    }
}

fn append_locked(log: &Path, line: &[u8]) -> io::Result<()> {
    if let Some(folder) = log.parent() {
        writes::create_dir_all(folder)?;
    }
    let mut file = writes::open_or_create(OpenOptions::new().read(true).append(true), log)?;
    let meta = file.metadata()?;
    let mut row = Vec::with_capacity(line.len() + 2);
    if !ends_with_newline(&mut file, meta.len())? {
        row.push(b'\n');
    }
    row.extend_from_slice(line);
    row.push(b'\n');
    writes::write_all(&mut file, &row).inspect_err(|_| {
        // A partial row, for example on a full disk, would look like a complete one.
        let _ = writes::set_len(&file, meta.len());
    })
}

/// Whether the file is empty or ends with a line break. If another program left a partial line, the next row must not
/// continue it.
pub(super) fn ends_with_newline(file: &mut File, length: u64) -> io::Result<bool> {
    if length == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::Start(length - 1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}
