//! Sessions that edit single files of the canon.

use crate::{Error, ErrorKind, Workspace};
use canonry_repo::apply::Session;
use canonry_text::RepoPath;

/// Takes canonry's lock for edits of files that no mirror owns.
///
/// # Errors
/// [`ErrorKind::Contention`] if another run holds the lock; [`ErrorKind::Refused`] if an interrupted sync must be finished
/// first.
pub(super) fn begin(workspace: &Workspace) -> Result<Session, Error> {
    let session = Session::begin(&workspace.git_dir()?)?;
    let pending = session.pending();
    if !pending.is_empty() && pending.iter().all(|(path, _)| is_plan_file(workspace, path)) {
        // Each of these files was written completely or not at all, so that nothing must be finished.
        session.sweep(&workspace.view);
    } else if !pending.is_empty() {
        // The journal proves which edits that sync made itself. Ours would replace it.
        return Err(Error::new(ErrorKind::Refused, "an interrupted sync must be finished first")
            .help("run `canonry sync`, then run this command again"));
    }
    Ok(session)
}

/// Whether a file belongs to plans: only commands on plans write it.
fn is_plan_file(workspace: &Workspace, path: &RepoPath) -> bool {
    let layout = &workspace.layout;
    [layout.plans(), layout.reports(), layout.approvals()].iter().any(|folder| path.is_within(folder))
}
