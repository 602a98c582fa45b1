//! Files in which a run keeps what it needs to continue after a kill.

use crate::{Error, ErrorKind};
use canonry_repo::apply::write_atomically;
use canonry_repo::fs as writes;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Display;
use std::io;
use std::path::Path;

/// Replaces a file.
///
/// # Errors
/// [`ErrorKind::Internal`] if the file system refused.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let folder = path.parent().expect("a record is in a folder");
    writes::create_dir_all(folder).map_err(|e| failed(folder, &e))?;
    write_atomically(folder, path, bytes).map_err(|e| failed(path, &e))
}

/// Replaces a file by the JSON form of a value.
///
/// # Errors
/// See [`write`].
pub(crate) fn save(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    let bytes = serde_json::to_vec_pretty(value).expect("texts, numbers and JSON values have a JSON form");
    write(path, &bytes)
}

/// Reads a value that [`save`] wrote; `None` if there is no file.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if it is damaged.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    let bytes = writes::read_if_exists(path).map_err(|error| unreadable(path, &error))?;
    bytes.map(|bytes| serde_json::from_slice(&bytes)).transpose().map_err(|error| unreadable(path, &error))
}

/// Removes a file, which may be missing.
///
/// # Errors
/// [`ErrorKind::Internal`] if the file system refused.
pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    match writes::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(failed(path, &e)),
        _ => Ok(()),
    }
}

pub(crate) fn unreadable(path: &Path, error: &impl Display) -> Error {
    Error::new(ErrorKind::Unreadable, format!("{}: the record of an attempt cannot be read: {error}", path.display()))
        .help("look at the branches `canonry/*` for the work of the attempt, then move the file away")
}

/// The error of the file system at a path.
pub(crate) fn failed(path: &Path, error: &io::Error) -> Error {
    Error::new(ErrorKind::Internal, format!("{}: {error}", path.display()))
}
