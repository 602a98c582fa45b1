//! Appending to the episodic log, which other processes append to and a dream replaces.

use super::ApplyError;
use crate::fs as writes;
use crate::fs::lock::HeldLock;
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The log's lock in canonry's folder of the git directory.
pub(super) const LOCK: &str = "log.lock";

/// Appends `line`, which has no line ending, in one write. Waits for the lock at most as long as `wait`.
///
/// # Errors
/// [`ApplyError::Io`]; then the log is unchanged.
pub fn append(git_dir: &Path, log: &Path, line: &[u8], wait: Option<Duration>) -> Result<(), ApplyError> {
    append_with(&lock_in(git_dir), log, line, wait)
}

/// The same with the lock in a file.
pub(super) fn append_with(lock: &Path, log: &Path, line: &[u8], wait: Option<Duration>) -> Result<(), ApplyError> {
    let held = take(lock, wait)?;
    let appended = append_locked(log, line).map_err(ApplyError::io(log.display(), "cannot be written"));
    drop(held);
    appended.map(drop)
}

/// The log's lock in a git directory.
pub(super) fn lock_in(git_dir: &Path) -> PathBuf {
    git_dir.join("canonry").join(LOCK)
}

/// Takes a log's lock, which an append holds until the line is written, and a dream only while it replaces the log. Waits at
/// most as long as `wait`.
pub(super) fn take(lock: &Path, wait: Option<Duration>) -> Result<HeldLock, ApplyError> {
    let held = match wait {
        None => HeldLock::take(lock),
        Some(limit) => {
            let start = Instant::now();
            let busy = || {
                io::Error::new(
                    io::ErrorKind::TimedOut,
                    format!("another process has held it for {} ms", limit.as_millis()),
                )
            };
            HeldLock::take_until(lock, || start.elapsed() >= limit).and_then(|held| held.ok_or_else(busy))
        }
    };
    let folder = lock.parent().unwrap_or(lock);
    held.map_err(ApplyError::io(folder.display(), "the log's lock cannot be taken"))
}

/// Appends the rows of `from` that neither the log nor `known` has, in one write, and flushes them to disk. `from` can then be
/// removed; after a kill in between, a repetition appends nothing.
///
/// # Errors
/// [`ApplyError::Io`]; then the log is unchanged, or has all of the rows.
pub(super) fn append_missing(lock: &Path, log: &Path, from: &[u8], known: &[u8]) -> Result<(), ApplyError> {
    let _lock = take(lock, None)?;
    let present = crate::fs::read_if_exists(log).map_err(ApplyError::io(log.display(), "cannot be read"))?;
    let lines = missing_rows(from, [present.as_deref().unwrap_or_default(), known]);
    if lines.is_empty() {
        return Ok(());
    }
    let appended = append_locked(log, &lines).and_then(|file| writes::sync_all(&file));
    appended.map_err(ApplyError::io(log.display(), "cannot be written"))
}

/// The rows of `from` that none of the logs has, without the last line ending.
fn missing_rows(from: &[u8], logs: [&[u8]; 2]) -> Vec<u8> {
    let mut missing: HashSet<&[u8]> = rows(from).collect();
    for row in logs.into_iter().flat_map(rows) {
        missing.remove(row);
    }
    let lines: Vec<&[u8]> = rows(from).filter(|row| missing.contains(row)).collect();
    lines.join(&b'\n')
}

/// The content of a log after [`append_missing`].
pub fn with_missing(mut log: Vec<u8>, from: &[u8]) -> Vec<u8> {
    let lines = missing_rows(from, [&log, b""]);
    if !lines.is_empty() {
        if !log.is_empty() && !log.ends_with(b"\n") {
            log.push(b'\n');
        }
        log.extend_from_slice(&lines);
        log.push(b'\n');
    }
    log
}

fn rows(log: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = log.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| !line.is_empty())
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

fn append_locked(log: &Path, line: &[u8]) -> io::Result<File> {
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
    })?;
    Ok(file)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_rows_are_appended_once_and_as_a_reader_expects() {
        for (log, from, want) in [
            (&b""[..], &b"a\nb\n"[..], &b"a\nb\n"[..]),
            (b"a\n", b"a\nb", b"a\nb\n"),
            (b"x\na", b"a\nb\nb\n", b"x\na\nb\nb\n"),
            (b"a\nb\n", b"b\na\n", b"a\nb\n"),
            (b"a", b"\n \n", b"a"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("log");
            std::fs::write(&file, log).unwrap();
            for _ in 0..2 {
                append_missing(&folder.path().join("lock"), &file, from, b"").unwrap();
                assert_eq!(std::fs::read(&file).unwrap(), want);
            }
            assert_eq!(with_missing(log.to_vec(), from), want);
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log");
        append_missing(&folder.path().join("lock"), &file, b"before\nnew\n", b"before\n").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"new\n");
    }
}
