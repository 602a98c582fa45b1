//! Writes a pack in one session: the files, then the lock.

use super::{PreparedPack, is_pack_path};
use crate::{Error, Workspace, file_edits};
use canonry_repo::apply::{Session, WritePlan, lock_edit};

/// Takes canonry's lock. A pack that was killed left each file as it was or as it should be, and this run continues.
pub(super) fn begin(workspace: &Workspace) -> Result<Session, Error> {
    let lock = workspace.layout.pack_lock();
    file_edits::begin(workspace, |path| *path == lock || is_pack_path(workspace, path))
}

/// Writes what was decided.
///
/// # Errors
/// [`crate::ErrorKind::Contention`] if a file changed meanwhile.
pub(super) fn write(workspace: &Workspace, session: &mut Session, decided: &PreparedPack) -> Result<(), Error> {
    let lock = workspace.layout.pack_lock();
    let is_new = decided.before.as_ref() != Some(&decided.after);
    let locks = is_new.then(|| lock_edit(&workspace.view, lock, Some(decided.after.to_text().into_bytes())));
    let plan = WritePlan { edits: &decided.plan.edits, back_up: &[], locks: locks.flatten().into_iter().collect() };
    let applied = session.apply(&workspace.view, &plan, &workspace.env.cancel)?;
    match applied.conflicts.first() {
        None => Ok(()),
        Some(path) => Err(Error::changed_meanwhile(path)),
    }
}
