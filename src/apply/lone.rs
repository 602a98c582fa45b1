//! Single files that stand alone: hooks, workflows, manual pages. Nothing of theirs is in the mirrors' lock, so that no
//! session is needed.

use super::ApplyError;
use super::temporary::PREFIX;
use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::Builder;

/// What stands at a path. A link is not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing.
    Nothing,
    /// A file.
    File {
        /// What it holds.
        bytes: Vec<u8>,
        /// Its permissions.
        mode: u32,
    },
    /// A link.
    Link,
    /// A folder.
    Folder,
    /// A pipe, a socket or a device.
    Special,
}

impl Standing {
    /// What a file holds; nothing for all else.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::File { bytes, .. } => Some(bytes),
            _ => None,
        }
    }
}

/// Looks at a path.
///
/// # Errors
/// It, or a folder on the way to it, cannot be read.
pub fn look(path: &Path) -> Result<Standing, ApplyError> {
    let seen = || {
        let meta = match fs::symlink_metadata(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Standing::Nothing),
            meta => meta?,
        };
        let kind = meta.file_type();
        Ok(match kind {
            kind if kind.is_symlink() => Standing::Link,
            kind if kind.is_dir() => Standing::Folder,
            // Only a file is opened, so that a pipe is never waited for.
            kind if !kind.is_file() => Standing::Special,
            _ => Standing::File { bytes: fs::read(path)?, mode: meta.permissions().mode() & 0o7777 },
        })
    };
    seen().map_err(ApplyError::io(path.display(), "cannot be read"))
}

/// What a new file may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It is read.
    Text,
    /// It is run.
    Program,
}

/// Puts a file in place by one rename, with its folders. One that stood there keeps its permissions.
///
/// # Errors
/// The file system refused; what stood there is as it was.
pub fn replace(path: &Path, bytes: &[u8], new: Use) -> Result<(), ApplyError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let write = || {
        fs::create_dir_all(folder)?;
        // The umask has its say about a new file, and none about one that was there.
        let mode = if new == Use::Program { 0o777 } else { 0o666 };
        let mut file = Builder::new().prefix(PREFIX).permissions(Permissions::from_mode(mode)).tempfile_in(folder)?;
        file.write_all(bytes)?;
        if let Ok(was) = fs::metadata(path) {
            file.as_file().set_permissions(was.permissions())?;
        }
        file.as_file().sync_all()?;
        file.persist(path).map_err(|e| e.error)?;
        Ok(())
    };
    write().map_err(ApplyError::io(path.display(), "cannot be written"))
}

/// Removes a file.
///
/// # Errors
/// The file system refused.
pub fn remove(path: &Path) -> Result<(), ApplyError> {
    fs::remove_file(path).map_err(ApplyError::io(path.display(), "cannot be removed"))
}
