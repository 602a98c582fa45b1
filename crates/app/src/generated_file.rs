//! Single files that a front end generates outside the canon: a report page, the pages of the manual.

use crate::{Error, ErrorKind};
use canonry_repo::apply::standalone_file::{self, PathContent, Use};
use gix::bstr::ByteSlice as _;
use std::path::Path;

/// Checks that a file may be written: there is no file, an empty file, or one that contains `marker`.
///
/// # Errors
/// [`ErrorKind::Refused`] if there is anything else.
pub fn check_target(path: &Path, marker: &str) -> Result<(), Error> {
    match standalone_file::read_path(path)? {
        PathContent::Nothing => Ok(()),
        PathContent::File { bytes, .. } if bytes.is_empty() || bytes.contains_str(marker) => Ok(()),
        _ => Err(Error::new(ErrorKind::Refused, format!("{} exists and was not written by canonry", path.display()))
            .help("choose another file, or move that one away")),
    }
}

/// Writes a file, replacing what is there. Creates missing directories.
///
/// # Errors
/// [`ErrorKind::Internal`] if the file cannot be written.
pub fn write(path: &Path, content: &[u8]) -> Result<(), Error> {
    Ok(standalone_file::replace(path, content, Use::Text)?)
}
