//! Sessions that edit single files of the canon.

use crate::app::{Error, ErrorKind, Workspace};
use crate::apply::Session;

/// Takes canonry's lock for edits of files that no mirror owns.
///
/// # Errors
/// [`ErrorKind::Contention`] if another run holds the lock; [`ErrorKind::Refused`] if an interrupted sync must be finished
/// first.
pub(super) fn begin(workspace: &Workspace) -> Result<Session, Error> {
    let session = Session::begin(&workspace.git_dir()?)?;
    if !session.pending().is_empty() {
        // The journal proves which edits that sync made itself. Ours would replace it.
        return Err(Error::new(ErrorKind::Refused, "an interrupted sync must be finished first")
            .help("run `canonry sync`, then run this command again"));
    }
    Ok(session)
}
