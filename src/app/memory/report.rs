//! Writes a report page that a front end has rendered.

use crate::app::{Error, ErrorKind};
use crate::apply::standalone_file::{self, PathContent, Use};
use gix::bstr::ByteSlice as _;
use std::path::Path;

/// Checks that a page may be written to a path: there is no file, an empty file, or a page that contains `marker`.
///
/// # Errors
/// [`ErrorKind::Refused`] if there is anything else.
pub fn check_target(path: &Path, marker: &str) -> Result<(), Error> {
    match standalone_file::read_path(path)? {
        PathContent::Nothing => Ok(()),
        PathContent::File { bytes, .. } if bytes.is_empty() || bytes.contains_str(marker) => Ok(()),
        _ => Err(Error::new(ErrorKind::Refused, format!("{} exists and is not a canonry report", path.display()))
            .help("choose another file, or move that one away")),
    }
}

/// Writes the page, replacing what is there.
///
/// # Errors
/// [`ErrorKind::Internal`] if the file cannot be written.
pub fn write_page(path: &Path, page: &str) -> Result<(), Error> {
    Ok(standalone_file::replace(path, page.as_bytes(), Use::Text)?)
}
