//! Drafts of new contents, and the files that they are copied from.

use super::on_disk;
use crate::apply::ApplyError;
use crate::apply::temporary::temporary_file;
use crate::fs as writes;
use crate::view::View;
use crate::view::log::LogPrefix;
use canonry_model::canon::FileMode;
use canonry_text::RepoPath;
use std::fs;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};
use tempfile::TempPath;

/// Size in bytes of a copied block.
pub(super) const BUFFER: usize = 1 << 20;

/// The new content of a file, in a temporary file beside it.
pub(super) struct Draft {
    pub path: RepoPath,
    file: BufWriter<writes::DirectWriter>,
    marked: Option<(u64, blake3::Hasher)>,
    is_counting: bool,
}

/// A draft that is complete and flushed to disk.
pub(super) struct FinishedDraft {
    /// The draft's name.
    pub name: String,
    /// Removes the draft when dropped.
    pub file: TempPath,
    /// Bytes written since [`Draft::mark`], up to [`Draft::unmark`]; empty if the first was not called.
    pub marked: LogPrefix,
}

impl Draft {
    pub fn create(view: &View, path: &RepoPath) -> Result<Self, ApplyError> {
        let to = on_disk(view, path)?;
        let folder = to.parent().unwrap_or(Path::new("."));
        let create = || {
            writes::create_dir_all(folder)?;
            let file = temporary_file(folder, FileMode::File)?;
            if let Ok(meta) = fs::metadata(&to) {
                writes::set_file_permissions(file.as_file(), meta.permissions())?;
            }
            Ok(file)
        };
        let file = create().map_err(ApplyError::io(path, "cannot be written"))?;
        Ok(Self {
            path: path.clone(),
            file: BufWriter::with_capacity(BUFFER, writes::DirectWriter(file)),
            marked: None,
            is_counting: false,
        })
    }

    /// Counts and hashes the bytes that are written from here on.
    pub fn mark(&mut self) {
        self.marked = Some((0, blake3::Hasher::new()));
        self.is_counting = true;
    }

    /// Ends what [`Self::mark`] began; the bytes that are written from here on do not count.
    pub fn unmark(&mut self) {
        self.is_counting = false;
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<(), ApplyError> {
        if let (true, Some((length, hasher))) = (self.is_counting, &mut self.marked) {
            *length += bytes.len() as u64;
            hasher.update(bytes);
        }
        self.file.write_all(bytes).map_err(ApplyError::io(&self.path, "cannot be written"))
    }

    /// Sets the modification time.
    pub fn set_modified(&mut self, modified: Option<(u64, u32)>) -> Result<(), ApplyError> {
        let Some((seconds, nanos)) = modified else { return Ok(()) };
        let time = UNIX_EPOCH + Duration::new(seconds, nanos);
        let dated = self.file.flush().and_then(|()| writes::set_modified(self.file.get_ref().0.as_file(), time));
        dated.map_err(ApplyError::io(&self.path, "cannot be written"))
    }

    /// Flushes the draft to disk.
    pub fn finish(self) -> Result<FinishedDraft, ApplyError> {
        let flushed = self.file.into_inner().map_err(io::IntoInnerError::into_error);
        let file = flushed.and_then(|file| writes::sync_all(file.0.as_file()).map(|()| file.0));
        let file = file.map_err(ApplyError::io(&self.path, "cannot be written"))?.into_temp_path();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (size, hasher) = self.marked.unwrap_or_else(|| (0, blake3::Hasher::new()));
        Ok(FinishedDraft { name, file, marked: LogPrefix { size, digest: hasher.finalize() } })
    }
}

/// The destination of copied bytes.
pub(super) trait ByteSink {
    fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), ApplyError>;
}

impl ByteSink for Draft {
    fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), ApplyError> {
        self.write(bytes)
    }
}

/// Discards the bytes, for a preview.
pub(super) struct Discard;

impl ByteSink for Discard {
    fn write_bytes(&mut self, _: &[u8]) -> Result<(), ApplyError> {
        Ok(())
    }
}

/// A file that is copied and hashed.
pub(super) struct HashingReader<R: Read> {
    path: RepoPath,
    reader: BufReader<R>,
    buffer: Vec<u8>,
    hasher: blake3::Hasher,
    read: u64,
    pub last_byte: Option<u8>,
}

impl<R: Read> HashingReader<R> {
    pub fn new(path: &RepoPath, reader: R) -> Self {
        let reader = BufReader::with_capacity(BUFFER, reader);
        let buffer = Vec::new();
        let hasher = blake3::Hasher::new();
        Self { path: path.clone(), reader, buffer, hasher, read: 0, last_byte: None }
    }

    /// Copies `length` bytes, or fewer if the file has become shorter; its mark differs then.
    pub fn copy(&mut self, length: u64, to: &mut (impl ByteSink + ?Sized)) -> Result<u64, ApplyError> {
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
            to.write_bytes(&self.buffer)?;
            self.last_byte = self.buffer.last().copied();
            self.read += read;
            left -= read;
        }
        Ok(length - left)
    }

    /// The mark of everything that was read.
    pub fn mark(&self) -> LogPrefix {
        LogPrefix { size: self.read, digest: self.hasher.finalize() }
    }
}
