//! The memory log in an attempt's work tree. Its rows belong to the pending log, never to the step's change.
//! Hooks and `canonry log` write there by themselves; this collects what a worker wrote into the file of its own tree.

use crate::{Error, ErrorKind, Workspace};
use canonry_repo::apply::write_atomically;
use canonry_repo::git::worktrees::AttemptTree;
use canonry_repo::view::Basis;
use std::path::Path;

/// Moves the rows that the log of the work tree got since its fork, and restores that file. Can be repeated. What cannot be
/// moved stays where it is.
///
/// # Errors
/// A file cannot be read or written.
pub(super) fn collect_log(workspace: &Workspace, tree: &AttemptTree) -> Result<(), Error> {
    let log = workspace.layout.log();
    let theirs = tree.folder.join(workspace.view.full(&log).to_display());
    let fork = workspace.open_view(&Basis::Commit(tree.fork.to_string()))?;
    let before = fork.read(&log, u64::MAX).into_bytes();
    let is_file = std::fs::symlink_metadata(&theirs).is_ok_and(|meta| meta.is_file());
    let unreadable = |error| Error::new(ErrorKind::Unreadable, format!("{} cannot be read: {error}", theirs.display()));
    let now = if is_file { canonry_repo::fs::read_if_exists(&theirs).map_err(unreadable)? } else { None };
    if now == before {
        return Ok(());
    }
    let known = before.as_deref().unwrap_or_default();
    if let Some(pending) = workspace.pending_log() {
        pending.append_missing(now.as_deref().unwrap_or_default(), known)?;
    }
    restore(&theirs, before.as_deref(), now.is_some())
        .map_err(|e| Error::new(ErrorKind::Internal, format!("{} cannot be restored: {e}", theirs.display())))
}

fn restore(file: &Path, before: Option<&[u8]>, exists: bool) -> std::io::Result<()> {
    match (before, file.parent()) {
        (Some(bytes), Some(folder)) => {
            canonry_repo::fs::create_dir_all(folder)?;
            write_atomically(folder, file, bytes)
        }
        _ if exists => canonry_repo::fs::remove_file(file),
        _ => Ok(()),
    }
}
