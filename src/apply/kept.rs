//! Copies of what someone else wrote, taken before it is replaced.

use super::ApplyError;
use super::temporary::atomic_file;
use crate::canon::FileMode;
use crate::fs as writes;
use crate::syntax::RepoPath;
use crate::view::View;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Copies files to `canonry/kept/` in git's folder, the one that all work trees share, where no run looks again; each
/// under its content's id and its path, so that nothing is kept twice and no copy replaces another. Of a link its text
/// is kept. `own` is where temporary files may lie.
pub(super) fn keep_aside(view: &View, own: &Path, paths: &[RepoPath]) -> Result<Vec<(RepoPath, PathBuf)>, ApplyError> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let Some(common_dir) = view.common_dir() else { return Ok(Vec::new()) };
    let folder = common_dir.join("canonry/kept");
    let mut kept = Vec::new();
    let mut probe = view.probe();
    for path in paths {
        let Some(state) = probe.state(path) else { continue };
        let copied = match state.mode {
            FileMode::Link => Ok(view.link_text(path).map(Vec::from).unwrap_or_default()),
            _ => view.on_disk(path).map_or(Err(io::ErrorKind::NotFound.into()), fs::read),
        };
        let copy = copied.and_then(|bytes| copy(&folder, own, &view.full(path), (&bytes, state.mode)));
        kept.push((path.clone(), copy.map_err(ApplyError::io(path, "cannot be kept aside"))?));
    }
    Ok(kept)
}

fn copy(folder: &Path, own: &Path, path: &RepoPath, (bytes, mode): (&[u8], FileMode)) -> io::Result<PathBuf> {
    let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, bytes).map_err(io::Error::other)?;
    let copies = folder.join(id.to_hex_with_len(12).to_string());
    let to = gix::path::from_bstr(path.as_bstr()).map_or_else(|_| copies.clone(), |path| copies.join(path));
    to.parent().map_or(Ok(()), writes::create_dir_all)?;
    atomic_file(own, &to, bytes)?;
    if mode == FileMode::Executable {
        writes::set_permissions(&to, Permissions::from_mode(0o755))?;
    }
    Ok(to)
}
