//! Folders that are made aside as a whole and put in place by one rename: a new skill's mirror is there or it is not.

use super::ApplyError;
use super::temporary::PREFIX;
use crate::fs as writes;
use crate::syntax::RepoPath;
use crate::view::View;
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use tempfile::{Builder, TempDir};

/// Skills' folders that do not exist yet, each with the temporary folder that becomes it.
pub(super) struct Stages {
    folders: BTreeMap<RepoPath, TempDir>,
}

/// `<tool>/skills/<name>` of a path below it.
fn skill_folder(path: &RepoPath) -> Option<RepoPath> {
    let folder = path.components().take(3).fold(RepoPath::default(), |folder, part| folder.join(part));
    (folder != *path).then_some(folder)
}

impl Stages {
    /// For those of `paths` whose skill's folder is not there.
    pub fn begin<'p>(view: &View, paths: impl Iterator<Item = &'p RepoPath>) -> Result<Self, ApplyError> {
        let mut folders = BTreeMap::new();
        for folder in paths.filter_map(skill_folder) {
            let Some(on_disk) = view.on_disk(&folder).filter(|_| !folders.contains_key(&folder)) else { continue };
            if fs::symlink_metadata(&on_disk).is_ok() {
                continue;
            }
            let Some(parent) = on_disk.parent() else { continue };
            let open = Permissions::from_mode(0o777);
            let made = writes::create_dir_all(parent)
                .and_then(|()| writes::temporary_dir(Builder::new().prefix(PREFIX).permissions(open), parent))
                .map_err(ApplyError::io(&folder, "the folder cannot be created"))?;
            folders.insert(folder, made);
        }
        Ok(Self { folders })
    }

    /// Where a path is written for now; `None` where it is written in place.
    pub fn path(&self, path: &RepoPath) -> Option<PathBuf> {
        let folder = skill_folder(path)?;
        let below = gix::path::from_bstr(path.below(&folder)?).ok()?;
        self.folders.get(&folder).map(|made| made.path().join(below))
    }

    /// Puts the folders in place and gives those whose place was taken in the meantime; what was made for them is gone.
    pub fn publish(self, view: &View) -> Result<Vec<RepoPath>, ApplyError> {
        let mut taken = Vec::new();
        for (folder, made) in self.folders {
            let Some(to) = view.on_disk(&folder) else { continue };
            match writes::rename(made.path(), &to) {
                // Nothing is left to be removed under the old name.
                Ok(()) => drop(made.keep()),
                Err(e) if is_taken(&e) => taken.push(folder),
                Err(e) => return Err(ApplyError::io(&folder, "the folder cannot be put in place")(e)),
            }
        }
        Ok(taken)
    }
}

fn is_taken(error: &io::Error) -> bool {
    use io::ErrorKind::{AlreadyExists, DirectoryNotEmpty, NotADirectory};
    matches!(error.kind(), AlreadyExists | DirectoryNotEmpty | NotADirectory)
}
