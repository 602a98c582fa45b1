//! Backups of files that are overwritten by force.

use super::ApplyError;
use super::temporary::write_atomically;
use crate::canon::FileMode;
use crate::fs as writes;
use crate::syntax::RepoPath;
use crate::view::View;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Copies files to `canonry/kept/` in the git folder that all work trees share. A copy's path contains the id of its
/// content and the file's path, so that no copy replaces another. For a link, its text is stored. Temporary files are
/// created in `own`.
pub(super) fn back_up(view: &View, own: &Path, paths: &[RepoPath]) -> Result<Vec<(RepoPath, PathBuf)>, ApplyError> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let Some(common_dir) = view.common_dir() else { return Ok(Vec::new()) };
    let folder = common_dir.join("canonry/kept");
    let mut backups = Vec::new();
    let mut probe = view.probe();
    for path in paths {
        // What only git has need not be backed up.
        let Some(state) = probe.state(path).filter(|_| !view.is_outside_checkout(path)) else { continue };
        let bytes = match state.mode {
            FileMode::Link => Ok(view.link_text(path).map(Vec::from).unwrap_or_default()),
            _ => view.on_disk(path).map_or(Err(io::ErrorKind::NotFound.into()), fs::read),
        };
        let backup = bytes.and_then(|bytes| write_backup(&folder, own, &view.full(path), &bytes, state.mode));
        backups.push((path.clone(), backup.map_err(ApplyError::io(path, "cannot be backed up"))?));
    }
    Ok(backups)
}

fn write_backup(folder: &Path, own: &Path, path: &RepoPath, bytes: &[u8], mode: FileMode) -> io::Result<PathBuf> {
    let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, bytes).map_err(io::Error::other)?;
    let folder = folder.join(id.to_hex_with_len(12).to_string());
    let to = gix::path::from_bstr(path.as_bstr()).map_or_else(|_| folder.clone(), |path| folder.join(path));
    to.parent().map_or(Ok(()), writes::create_dir_all)?;
    write_atomically(own, &to, bytes)?;
    if mode == FileMode::Executable {
        writes::set_permissions(&to, Permissions::from_mode(0o755))?;
    }
    Ok(to)
}
