//! Sessions of commands that write some files of the canon, and no mirrors.

use crate::{Error, ErrorKind, Workspace};
use canonry_repo::apply::Session;
use canonry_text::RepoPath;

/// Takes canonry's lock. `is_own` tells the files that the same kind of command writes: if one was killed, each of them was
/// written completely or not at all, so that nothing must be finished.
///
/// # Errors
/// [`ErrorKind::Contention`] if another run holds the lock; [`ErrorKind::Refused`] if an interrupted sync must be finished
/// first.
pub(super) fn begin(workspace: &Workspace, is_own: impl Fn(&RepoPath) -> bool) -> Result<Session, Error> {
    let session = Session::begin(&workspace.git_dir()?)?;
    if session.pending().iter().all(|(path, _)| is_own(path)) {
        session.sweep(&workspace.view)?;
        return Ok(session);
    }
    // The journal proves which edits that sync made itself. Ours would replace it.
    Err(Error::new(ErrorKind::Refused, "an interrupted sync must be finished first")
        .help("run `canonry sync`, then run this command again"))
}

/// Takes canonry's lock for edits of plans and documents.
///
/// # Errors
/// See [`begin`].
pub(super) fn begin_plan(workspace: &Workspace) -> Result<Session, Error> {
    let layout = &workspace.layout;
    let folders = [layout.plans(), layout.reports(), layout.approvals()];
    begin(workspace, |path| folders.iter().any(|folder| path.is_within(folder)))
}
