//! The record of an integration, from before its first write to after its last, and the lock on integrations.

use std::fs::{File, Metadata};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use gix::ObjectId;

use crate::fs as writes;
use crate::git::commit::CommitError;
use crate::git::commit::index::HeldIndex;
use crate::git::commit::preflight::lock_of;

/// The tip that an integration begins at, the one that it ends at, and the merged commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IntegrationRecord {
    pub old: ObjectId,
    pub new: ObjectId,
    pub tip: ObjectId,
}

impl IntegrationRecord {
    /// The record that an interrupted integration left. One whose commits do not exist is ignored.
    pub fn load(repo: &gix::Repository) -> Result<Option<Self>, CommitError> {
        let path = path(repo);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(CommitError::File { path, source }),
        };
        let ids: Vec<ObjectId> =
            text.split_ascii_whitespace().filter_map(|id| ObjectId::from_hex(id.as_bytes()).ok()).collect();
        let [old, new, tip] = ids[..] else { return Ok(None) };
        Ok([old, new].iter().all(|id| repo.find_commit(*id).is_ok()).then_some(Self { old, new, tip }))
    }

    pub fn store(&self, repo: &gix::Repository) -> Result<(), CommitError> {
        let path = path(repo);
        let folder = folder(repo);
        let text = format!("{} {} {}\n", self.old, self.new, self.tip);
        let store = || {
            writes::create_dir_all(&folder)?;
            let mut file = writes::temporary_file(tempfile::Builder::new().prefix(".canonry-tmp-"), &folder)?;
            writes::write_all(&mut file, text.as_bytes())?;
            writes::sync_all(file.as_file())?;
            writes::persist(file.into_temp_path(), &path)
        };
        store().map_err(|source| CommitError::File { path: path.clone(), source })
    }

    pub fn clear(repo: &gix::Repository) -> Result<(), CommitError> {
        let path = path(repo);
        if std::fs::symlink_metadata(&path).is_err() {
            return Ok(());
        }
        writes::remove_file(&path).map_err(|source| CommitError::File { path, source })
    }
}

fn folder(repo: &gix::Repository) -> PathBuf {
    repo.git_dir().join("canonry")
}

fn path(repo: &gix::Repository) -> PathBuf {
    folder(repo).join("integration")
}

/// Held during an integration. It notes which `index.lock` the integration holds, so that the next one can remove it if this
/// process is killed.
pub(super) struct IntegrationLock {
    file: File,
    path: PathBuf,
}

impl IntegrationLock {
    /// Waits for other integrations. Removes the lock on the index if a killed one left it.
    pub fn acquire(repo: &gix::Repository) -> Result<Self, CommitError> {
        let path = folder(repo).join("integration.lock");
        let io = |source| CommitError::File { path: path.clone(), source };
        writes::create_dir_all(&folder(repo)).map_err(io)?;
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
    let disk: Metadata = std::fs::symlink_metadata(path).ok()?;
    let created = disk.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{}:{}:{}", disk.dev(), disk.ino(), created.as_nanos()))
}
