//! Temporary files and links beside their destination. Those of an interrupted integration are left to the next one.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use gix::bstr::ByteSlice;
use gix::objs::tree::EntryKind;
use tempfile::{Builder, TempPath};

use crate::fs as writes;
use crate::git::commit::CommitError;

/// The prefix of their names.
pub(super) const PREFIX: &str = ".canonry-merge-";

pub(super) fn is_temporary(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(PREFIX.as_bytes())
}

/// Removes the temporary files in a folder, if it exists.
pub(super) fn sweep(folder: &Path) -> Result<(), CommitError> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for entry in entries.flatten().filter(|entry| is_temporary(&entry.file_name())) {
        let path = entry.path();
        writes::remove_file(&path).map_err(|source| CommitError::File { path, source })?;
    }
    Ok(())
}

pub(super) fn temporary_file(folder: &Path, kind: EntryKind, content: &[u8]) -> io::Result<TempPath> {
    // Before the umask.
    let mode = if kind == EntryKind::BlobExecutable { 0o777 } else { 0o666 };
    let mut builder = Builder::new();
    let mut file = writes::temporary_file(builder.prefix(PREFIX).permissions(Permissions::from_mode(mode)), folder)?;
    writes::write_all(file.as_file_mut(), content)?;
    Ok(file.into_temp_path())
}

pub(super) fn temporary_link(folder: &Path, target: &[u8]) -> io::Result<TempPath> {
    let target: Cow<'_, Path> = gix::path::from_bstr(target.as_bstr())
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error.to_string()))?;
    let link = Builder::new().prefix(PREFIX).make_in(folder, |path| writes::symlink(&target, path))?;
    Ok(link.into_temp_path())
}
