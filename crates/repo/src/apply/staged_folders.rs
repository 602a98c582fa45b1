//! New skill folders, which are built under a temporary name and renamed, so that a mirror exists completely or not at all.

use super::ApplyError;
use super::temporary::PREFIX;
use crate::fs as writes;
use crate::view::View;
use canonry_text::RepoPath;
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use tempfile::{Builder, TempDir};

/// Skill folders that do not exist yet, each with its temporary folder.
pub(super) struct StagedFolders {
    folders: BTreeMap<RepoPath, TempDir>,
}

/// The folder `<tool>/skills/<name>` of a path below it.
fn skill_folder(path: &RepoPath) -> Option<RepoPath> {
    let folder = path.components().take(3).fold(RepoPath::default(), |folder, part| folder.join(part));
    (folder != *path).then_some(folder)
}

impl StagedFolders {
    /// Creates a temporary folder for each skill folder of `paths` that does not exist.
    pub fn create<'p>(view: &View, paths: impl Iterator<Item = &'p RepoPath>) -> Result<Self, ApplyError> {
        let mut folders = BTreeMap::new();
        for folder in paths.filter_map(skill_folder) {
            let Some(on_disk) = view.on_disk(&folder).filter(|_| !folders.contains_key(&folder)) else { continue };
            if fs::symlink_metadata(&on_disk).is_ok() {
                continue;
            }
            let Some(parent) = on_disk.parent() else { continue };
            let open = Permissions::from_mode(0o777);
            let temporary = writes::create_dir_all(parent)
                .and_then(|()| writes::temporary_dir(Builder::new().prefix(PREFIX).permissions(open), parent))
                .map_err(ApplyError::io(&folder, "the folder cannot be created"))?;
            folders.insert(folder, temporary);
        }
        Ok(Self { folders })
    }

    /// The path's place in a temporary folder; `None` if its skill folder exists already.
    pub fn path(&self, path: &RepoPath) -> Option<PathBuf> {
        let folder = skill_folder(path)?;
        let below = gix::path::from_bstr(path.below(&folder)?).ok()?;
        self.folders.get(&folder).map(|temporary| temporary.path().join(below))
    }

    /// Renames the folders. Returns those whose name was taken in the meantime; their temporary folders are removed.
    pub fn publish(self, view: &View) -> Result<Vec<RepoPath>, ApplyError> {
        let mut taken = Vec::new();
        for (folder, temporary) in self.folders {
            let Some(to) = view.on_disk(&folder) else { continue };
            match writes::rename(temporary.path(), &to) {
                // The old name no longer exists, so there is nothing to remove.
                Ok(()) => drop(temporary.keep()),
                Err(e) if is_taken(&e) => taken.push(folder),
                Err(e) => return Err(ApplyError::io(&folder, "the folder cannot be renamed")(e)),
            }
        }
        Ok(taken)
    }
}

fn is_taken(error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, DirectoryNotEmpty, NotADirectory};
    matches!(error.kind(), AlreadyExists | DirectoryNotEmpty | NotADirectory)
}
