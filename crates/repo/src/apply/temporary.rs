//! Temporary files and links, which are created beside their destination and then renamed.

use crate::fs as writes;
use canonry_model::canon::FileMode;
use gix::ObjectId;
use gix::bstr::BStr;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::{Builder, NamedTempFile, TempPath};

/// Prefix of the names of temporary files, links and folders.
pub(super) const PREFIX: &str = ".canonry-tmp-";

fn is_temporary(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(PREFIX.as_bytes())
}

/// Removes a file whose removal may fail: then the next run removes it.
pub(super) fn remove_quietly(path: &Path) {
    let _ = writes::remove_file(path);
}

/// Removes the temporary files that unfinished runs left in a folder. Failures are ignored: `check` then reports the file
/// as one that canonry does not own.
pub(super) fn remove_temporaries(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|e| is_temporary(&e.file_name())) {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let _ = if is_folder { writes::remove_dir_all(&entry.path()) } else { writes::remove_file(&entry.path()) };
    }
}

/// The id of a file's bytes as they are, or of a link's text.
pub(super) fn content_id(at: &Path) -> io::Result<ObjectId> {
    let bytes = if at.symlink_metadata()?.is_symlink() {
        at.read_link()?.into_os_string().into_encoded_bytes()
    } else {
        writes::read(at)?
    };
    gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, &bytes).map_err(io::Error::other)
}

/// Replaces a file outside the work tree and flushes it to disk. The temporary file is created in `folder`.
pub fn write_atomically(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = writes::temporary_file(Builder::new().prefix(PREFIX), folder)?;
    writes::write_all(&mut file, bytes)?;
    writes::sync_all(file.as_file())?;
    writes::persist(file.into_temp_path(), path)
}

/// The same without waiting for the disk, for a file that can be derived again.
pub fn write_derived(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = writes::temporary_file(Builder::new().prefix(PREFIX), folder)?;
    writes::write_all(&mut file, bytes)?;
    writes::persist(file.into_temp_path(), path)
}

/// Permissions of a new file before the umask.
pub(super) fn permission_bits(mode: FileMode) -> u32 {
    if mode == FileMode::Executable { 0o777 } else { 0o666 }
}

pub(super) fn temporary_file(folder: &Path, mode: FileMode) -> io::Result<NamedTempFile> {
    writes::temporary_file(
        Builder::new().prefix(PREFIX).permissions(Permissions::from_mode(permission_bits(mode))),
        folder,
    )
}

pub(super) fn link_target(text: &BStr) -> io::Result<Cow<'_, Path>> {
    gix::path::from_bstr(text).map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e.to_string()))
}

pub(super) fn temporary_link(folder: &Path, text: &BStr) -> io::Result<TempPath> {
    let target = link_target(text)?;
    let link = Builder::new().prefix(PREFIX).make_in(folder, |path| writes::symlink(&target, path))?;
    Ok(link.into_temp_path())
}
