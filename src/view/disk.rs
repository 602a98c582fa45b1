//! One file's bytes from the work tree.

use super::View;
use crate::canon::blob::BlobError;
use crate::canon::io_diagnosis::IoDiagnosis;
use crate::syntax::RepoPath;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

impl View {
    pub(super) fn read_disk(&self, path: &RepoPath, limit: u64) -> Result<Vec<u8>, BlobError> {
        let at = self.on_disk(path).ok_or(BlobError::Absent)?;
        match open_unfollowed(&at) {
            Ok(file) => read_open(file, limit, None),
            Err(error) => self.read_refused(&at, &error, limit),
        }
    }

    /// What could not be opened as the file that most are: a link is followed as far as the repository goes.
    fn read_refused(&self, at: &Path, error: &io::Error, limit: u64) -> Result<Vec<u8>, BlobError> {
        let meta = std::fs::symlink_metadata(at).map_err(|e| missing(&e, None))?;
        if !meta.is_symlink() {
            return Err(if meta.is_file() { missing(error, None) } else { BlobError::NotAFile });
        }
        let target = std::fs::read_link(at).unwrap_or_default().to_string_lossy().into_owned();
        let real = std::fs::canonicalize(at).map_err(|e| missing(&e, Some(&target)))?;
        if self.inside(&real).is_none() {
            return Err(BlobError::Outside { target });
        }
        let file = open_unfollowed(&real).map_err(|e| missing(&e, Some(&target)))?;
        read_open(file, limit, Some(&target))
    }
}

/// Opens what is no link; a pipe without a writer is not waited for.
#[cfg(unix)]
fn open_unfollowed(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open_unfollowed(path: &Path) -> io::Result<File> {
    match std::fs::symlink_metadata(path)?.is_file() {
        true => File::open(path),
        false => Err(ErrorKind::Unsupported.into()),
    }
}

/// One `fstat` on what is open, and one read where it is as long as that said: nothing can change in between.
fn read_open(mut file: File, limit: u64, target: Option<&str>) -> Result<Vec<u8>, BlobError> {
    let meta = file.metadata().map_err(|e| missing(&e, target))?;
    if !meta.is_file() {
        return Err(BlobError::NotAFile);
    }
    let size = usize::try_from(meta.len()).ok().filter(|_| meta.len() <= limit);
    let size = size.ok_or(BlobError::TooLarge { size: meta.len(), limit })?;
    // One byte of room more, so that a read that ends at the size has met the end.
    let mut bytes = vec![0; size + 1];
    let first = file.read(&mut bytes).map_err(|e| missing(&e, target))?;
    bytes.truncate(first);
    if first == size {
        return Ok(bytes);
    }
    let left = limit.saturating_add(1).saturating_sub(first as u64);
    file.take(left).read_to_end(&mut bytes).map_err(|e| missing(&e, target))?;
    if bytes.len() as u64 > limit {
        return Err(BlobError::TooLarge { size: bytes.len() as u64, limit });
    }
    Ok(bytes)
}

fn missing(error: &io::Error, target: Option<&str>) -> BlobError {
    match (error.kind(), target) {
        (ErrorKind::NotFound | ErrorKind::NotADirectory, None) => BlobError::Absent,
        (ErrorKind::NotFound, Some(target)) => BlobError::Dangling { target: target.to_owned() },
        (_, Some(target)) if is_link_loop(error) => BlobError::Loop { target: target.to_owned() },
        _ => BlobError::Refused { reason: IoDiagnosis::from(error) },
    }
}

/// `ELOOP` on Linux and on macOS and the BSDs; the standard library has no stable name for it.
fn is_link_loop(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(40 | 62))
}
