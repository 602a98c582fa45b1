//! Writes a pack in one session: the files, then the lock.

use super::{PreparedPack, is_pack_path};
use crate::{Error, ErrorKind, Workspace};
use canonry_repo::apply::{Session, WritePlan, lock_edit};
use canonry_text::RepoPath;

/// Takes canonry's lock. A pack that was killed left each file as it was or as it should be, and this run continues.
pub(super) fn begin(workspace: &Workspace) -> Result<Session, Error> {
    let session = Session::begin(&workspace.git_dir()?)?;
    let lock = workspace.layout.pack_lock();
    let is_own = |path: &RepoPath| *path == lock || is_pack_path(workspace, path);
    if session.pending().iter().all(|(path, _)| is_own(path)) {
        session.sweep(&workspace.view);
        return Ok(session);
    }
    Err(Error::new(ErrorKind::Refused, "an interrupted sync must be finished first")
        .help("run `canonry sync`, then run this command again"))
}

/// Writes what was decided.
///
/// # Errors
/// [`ErrorKind::Contention`] if a file changed meanwhile.
pub(super) fn write(workspace: &Workspace, session: &mut Session, decided: &PreparedPack) -> Result<(), Error> {
    let lock = workspace.layout.pack_lock();
    let is_new = decided.before.as_ref() != Some(&decided.after);
    let locks = is_new.then(|| lock_edit(&workspace.view, lock, Some(decided.after.to_text().into_bytes())));
    let plan = WritePlan { edits: &decided.plan.edits, back_up: &[], locks: locks.flatten().into_iter().collect() };
    let applied = session.apply(&workspace.view, &plan, &workspace.env.cancel)?;
    match applied.conflicts.first() {
        None => Ok(()),
        Some(path) => {
            let message = format!("{path} changed while this command ran and was left alone");
            Err(Error::new(ErrorKind::Contention, message).help("run this again"))
        }
    }
}
