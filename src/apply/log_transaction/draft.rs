//! New contents in the making, and what they are made from.

use super::on_disk;
use crate::apply::ApplyError;
use crate::apply::temporary::open_in;
use crate::canon::FileMode;
use crate::fs as writes;
use crate::syntax::RepoPath;
use crate::view::View;
use crate::view::log::Mark;
use std::fs;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};
use tempfile::TempPath;

/// Bytes that are copied at once.
pub(super) const BUFFER: usize = 1 << 20;

/// A file that becomes another's new content.
pub(super) struct Draft {
    pub path: RepoPath,
    file: BufWriter<writes::DirectWriter>,
    marked: Option<(u64, blake3::Hasher)>,
}

/// A draft that is on disk.
pub(super) struct Made {
    /// Its temporary name.
    pub name: String,
    /// Removes it when it is dropped.
    pub file: TempPath,
    /// What was written since [`Draft::mark`]; empty without one.
    pub marked: Mark,
}

impl Draft {
    pub fn begin(view: &View, path: &RepoPath) -> Result<Self, ApplyError> {
        let to = on_disk(view, path)?;
        let folder = to.parent().unwrap_or(Path::new("."));
        let make = || {
            writes::create_dir_all(folder)?;
            let file = open_in(folder, FileMode::File)?;
            if let Ok(meta) = fs::metadata(&to) {
                writes::set_file_permissions(file.as_file(), meta.permissions())?;
            }
            Ok(file)
        };
        let file = make().map_err(ApplyError::io(path, "cannot be written"))?;
        Ok(Self {
            path: path.clone(),
            file: BufWriter::with_capacity(BUFFER, writes::DirectWriter(file)),
            marked: None,
        })
    }

    /// What is written from here on is counted, and its hash taken.
    pub fn mark(&mut self) {
        self.marked = Some((0, blake3::Hasher::new()));
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<(), ApplyError> {
        if let Some((length, hasher)) = &mut self.marked {
            *length += bytes.len() as u64;
            hasher.update(bytes);
        }
        self.file.write_all(bytes).map_err(ApplyError::io(&self.path, "cannot be written"))
    }

    /// As old as something else was.
    pub fn date(&mut self, modified: Option<(u64, u32)>) -> Result<(), ApplyError> {
        let Some((seconds, nanos)) = modified else { return Ok(()) };
        let time = UNIX_EPOCH + Duration::new(seconds, nanos);
        let dated = self.file.flush().and_then(|()| writes::set_modified(self.file.get_ref().0.as_file(), time));
        dated.map_err(ApplyError::io(&self.path, "cannot be written"))
    }

    /// Flushed to disk.
    pub fn end(self) -> Result<Made, ApplyError> {
        let flushed = self.file.into_inner().map_err(io::IntoInnerError::into_error);
        let file = flushed.and_then(|file| writes::sync_all(file.0.as_file()).map(|()| file.0));
        let file = file.map_err(ApplyError::io(&self.path, "cannot be written"))?.into_temp_path();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (size, hasher) = self.marked.unwrap_or_else(|| (0, blake3::Hasher::new()));
        Ok(Made { name, file, marked: Mark { size, digest: hasher.finalize() } })
    }
}

/// Where bytes go that are copied: a draft, or nowhere where someone only looks.
pub(super) trait Sink {
    fn take(&mut self, bytes: &[u8]) -> Result<(), ApplyError>;
}

impl Sink for Draft {
    fn take(&mut self, bytes: &[u8]) -> Result<(), ApplyError> {
        self.write(bytes)
    }
}

/// Where nothing goes.
pub(super) struct Nowhere;

impl Sink for Nowhere {
    fn take(&mut self, _: &[u8]) -> Result<(), ApplyError> {
        Ok(())
    }
}

/// A file as it is read once more, with its hash.
pub(super) struct Source<R: Read> {
    path: RepoPath,
    reader: BufReader<R>,
    buffer: Vec<u8>,
    hasher: blake3::Hasher,
    read: u64,
    pub last: Option<u8>,
}

impl<R: Read> Source<R> {
    pub fn new(path: &RepoPath, reader: R) -> Self {
        let reader = BufReader::with_capacity(BUFFER, reader);
        let (buffer, hasher) = (Vec::new(), blake3::Hasher::new());
        Self { path: path.clone(), reader, buffer, hasher, read: 0, last: None }
    }

    /// Less than `length` only where the file has become shorter, which its mark then tells.
    pub fn copy(&mut self, length: u64, to: &mut (impl Sink + ?Sized)) -> Result<u64, ApplyError> {
        let mut left = length;
        while left > 0 {
            self.buffer.clear();
            let part = left.min(BUFFER as u64);
            let read = self.reader.by_ref().take(part).read_to_end(&mut self.buffer);
            let read = read.map_err(ApplyError::io(&self.path, "cannot be read"))? as u64;
            if read == 0 {
                break;
            }
            self.hasher.update(&self.buffer);
            to.take(&self.buffer)?;
            self.last = self.buffer.last().copied();
            self.read += read;
            left -= read;
        }
        Ok(length - left)
    }

    /// Of all that was read.
    pub fn mark(&self) -> Mark {
        Mark { size: self.read, digest: self.hasher.finalize() }
    }
}
