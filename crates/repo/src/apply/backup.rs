//! Backups of content that a run replaces or removes and that exists nowhere else.

use super::ApplyError;
use super::temporary::{content_id, write_atomically};
use crate::fs as writes;
use crate::view::View;
use canonry_model::canon::FileMode;
use canonry_text::RepoPath;
use gix::ObjectId;
use std::collections::BTreeMap;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The folder `canonry/kept/` in the git folder that all work trees share. A backup's path contains the id of its content
/// and the file's path, so that none replaces another.
pub(super) struct Backups<'a> {
    view: &'a View,
    /// Canonry's own folder in git's, for temporary files.
    own: &'a Path,
}

impl<'a> Backups<'a> {
    pub fn new(view: &'a View, own: &'a Path) -> Self {
        Self { view, own }
    }

    fn folder(&self) -> Option<PathBuf> {
        self.view.common_dir().map(|common| common.join("canonry/kept"))
    }

    /// Copies files before they are overwritten or removed. For a link, its text is stored.
    pub fn copy(&self, paths: &[RepoPath]) -> Result<Vec<(RepoPath, PathBuf)>, ApplyError> {
        let Some(folder) = self.folder().filter(|_| !paths.is_empty()) else { return Ok(Vec::new()) };
        let mut backups = Vec::new();
        let mut probe = self.view.probe();
        for path in paths {
            // What only git has need not be backed up.
            let Some(state) = probe.state(path).filter(|_| !self.view.is_outside_checkout(path)) else { continue };
            // Where the file system has no links, a link is a file with its text.
            let bytes = match self.view.link_text(path) {
                Some(text) => Ok(text.into()),
                None => self.view.on_disk(path).map_or(Err(io::ErrorKind::NotFound.into()), writes::read),
            };
            let backup = bytes.and_then(|bytes| self.write(&folder, path, &bytes, state.mode));
            backups.push((path.clone(), backup.map_err(ApplyError::io(path, "cannot be backed up"))?));
        }
        Ok(backups)
    }

    fn write(&self, folder: &Path, path: &RepoPath, bytes: &[u8], mode: FileMode) -> io::Result<PathBuf> {
        let id =
            gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, bytes).map_err(io::Error::other)?;
        let to = self.place(folder, path, id, "");
        to.parent().map_or(Ok(()), writes::create_dir_all)?;
        write_atomically(self.own, &to, bytes)?;
        if mode == FileMode::Executable {
            writes::set_permissions(&to, Permissions::from_mode(0o755))?;
        }
        Ok(to)
    }

    fn place(&self, folder: &Path, path: &RepoPath, id: ObjectId, suffix: &str) -> PathBuf {
        let folder = folder.join(format!("{}{suffix}", id.to_hex_with_len(12)));
        gix::path::from_bstr(self.view.full(path).as_bstr()).map_or_else(|_| folder.clone(), |path| folder.join(path))
    }

    /// Moves an old version of the file at `path` into the folder. A process that still writes to it then writes to the
    /// backup.
    pub fn take(&self, path: &RepoPath, at: &Path) -> io::Result<PathBuf> {
        let Some(folder) = self.folder() else { return Ok(at.to_owned()) };
        let id = content_id(at)?;
        let suffixes = std::iter::once(String::new()).chain((1..).map(|count| format!("-{count}")));
        for to in suffixes.map(|suffix| self.place(&folder, path, id, &suffix)) {
            to.parent().map_or(Ok(()), writes::create_dir_all)?;
            match writes::rename_noreplace(at, &to) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(_) if to.symlink_metadata().is_ok() => {}
                Err(_) => {
                    // The folder is on another file system.
                    let bytes = writes::read(at)?;
                    write_atomically(to.parent().unwrap_or(self.own), &to, &bytes)?;
                    return writes::remove_file(at).map(|()| to);
                }
                Ok(()) => return Ok(to),
            }
        }
        Ok(at.to_owned())
    }
}

/// The files among `removed` whose content is in no commit and not in the index, one for each content.
pub(super) fn only_copies<'p>(
    view: &View,
    removed: impl Iterator<Item = (&'p RepoPath, ObjectId)>,
    backed_up: &[RepoPath],
) -> Vec<RepoPath> {
    let mut contents: BTreeMap<ObjectId, &RepoPath> = BTreeMap::new();
    let removed: Vec<(&RepoPath, ObjectId)> = removed
        .filter(|(path, id)| {
            let is_staged = view.staged_state(path).is_some_and(|state| state.id == *id);
            !is_staged && !view.is_outside_checkout(path) && !backed_up.contains(path)
        })
        .collect();
    for (path, id) in removed.into_iter().rev() {
        contents.insert(id, path);
    }
    if contents.is_empty() {
        return Vec::new();
    }
    view.remove_known(&mut contents);
    contents.into_values().cloned().collect()
}
