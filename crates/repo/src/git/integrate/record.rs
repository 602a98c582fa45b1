//! The record of an integration, from before its first write to after its last.

use std::path::PathBuf;

use gix::ObjectId;

use super::temporary::{PREFIX, sweep};
use crate::fs as writes;
use crate::git::commit::CommitError;

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
        let text = match crate::fs::read_if_exists(&path) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(None),
            Err(source) => return Err(CommitError::File { path, source }),
        };
        let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let ids: Vec<ObjectId> = words.filter_map(|id| ObjectId::from_hex(id).ok()).collect();
        let [old, new, tip] = ids[..] else { return Ok(None) };
        Ok([old, new].iter().all(|id| repo.find_commit(*id).is_ok()).then_some(Self { old, new, tip }))
    }

    pub fn store(&self, repo: &gix::Repository) -> Result<(), CommitError> {
        let path = path(repo);
        let folder = folder(repo);
        let text = format!("{} {} {}\n", self.old, self.new, self.tip);
        let store = || {
            writes::create_dir_all(&folder)?;
            let mut file = writes::temporary_file(tempfile::Builder::new().prefix(PREFIX), &folder)?;
            writes::write_all(&mut file, text.as_bytes())?;
            writes::sync_all(file.as_file())?;
            writes::persist(file.into_temp_path(), &path)
        };
        store().map_err(|source| CommitError::File { path: path.clone(), source })
    }

    /// Removes what an interrupted [`Self::store`] left. Only one process at a time has an integration.
    pub fn sweep(repo: &gix::Repository) -> Result<(), CommitError> {
        sweep(&folder(repo))
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
