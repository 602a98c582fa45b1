//! Reads a lock that canonry wrote.

use crate::{Error, ErrorKind, Workspace};
use canonry_model::canon::Blob;
use canonry_model::canon::blob::BlobError;
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_text::RepoPath;
use std::fmt::Display;

/// Reads and parses a lock; `None` without a file. `help` says how to repair it.
///
/// # Errors
/// It is a link, cannot be read, or is no lock.
pub fn load<L, E: Display>(
    workspace: &Workspace,
    path: &RepoPath,
    help: &str,
    parse: impl FnOnce(&str) -> Result<L, E>,
) -> Result<Option<L>, Error> {
    let unreadable = |message: String| Error::new(ErrorKind::Unreadable, format!("{path}: {message}")).help(help);
    if workspace.view.link_text(path).is_some() {
        return Err(unreadable("it is a symbolic link".to_owned()));
    }
    let bytes = match workspace.view.read(path, DOCUMENT_LIMIT) {
        Blob::Missing(BlobError::Absent) => return Ok(None),
        Blob::Missing(error) => return Err(unreadable(error.to_string())),
        Blob::Bytes(bytes) => bytes,
    };
    let text = str::from_utf8(&bytes).map_err(|_| unreadable("it is not valid UTF-8".to_owned()))?;
    parse(text).map(Some).map_err(|error| unreadable(error.to_string()))
}
