//! Takes the lock on an index so that a later run can remove it if this process is killed.

use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::commit::CommitError;
use super::commit::index::HeldIndex;
use super::commit::preflight::lock_of;
use crate::fs as writes;

/// Held by the one process that changes the index of a work tree for a plan. It notes which `index.lock` the process holds.
pub(super) struct IndexGuard {
    file: File,
    path: PathBuf,
}

impl IndexGuard {
    /// Waits for other processes with a guard. Removes the lock on the index if a killed one left it.
    pub fn acquire(repo: &gix::Repository) -> Result<Self, CommitError> {
        let folder = repo.git_dir().join("canonry");
        let path = folder.join("index-guard");
        let io = |source| CommitError::File { path: path.clone(), source };
        writes::create_dir_all(&folder).map_err(io)?;
        let mut options = File::options();
        let mut file = writes::open_or_create(options.truncate(false).read(true).write(true), &path).map_err(io)?;
        file.lock().map_err(io)?;
        let mut noted = String::new();
        file.read_to_string(&mut noted).map_err(io)?;
        let left = lock_of(&repo.index_path());
        if identity(&left).is_some_and(|identity| identity == noted) {
            writes::remove_file(&left).map_err(|source| CommitError::File { path: left, source })?;
        }
        Ok(Self { file, path })
    }

    /// Takes the lock on the index.
    pub fn hold_index(&self, repo: &gix::Repository) -> Result<HeldIndex, CommitError> {
        let held = HeldIndex::acquire(repo)?;
        // No failpoint between the two, which belong together.
        let note = || {
            let Some(identity) = identity(&lock_of(&repo.index_path())) else { return Ok(()) };
            self.file.set_len(0)?;
            (&self.file).rewind()?;
            (&self.file).write_all(identity.as_bytes())
        };
        note().map_err(|source| CommitError::File { path: self.path.clone(), source })?;
        Ok(held)
    }
}

/// What distinguishes a file from a later one with the same name. `None` if the file system does not know when a file was
/// created, because its number alone can be used again.
fn identity(path: &Path) -> Option<String> {
    let disk = std::fs::symlink_metadata(path).ok()?;
    let created = disk.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{}:{}:{}", disk.dev(), disk.ino(), created.as_nanos()))
}
