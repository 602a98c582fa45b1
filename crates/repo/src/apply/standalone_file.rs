//! Single files outside the mirrors: git hooks, CI workflows, manual pages. The lock does not list them, so writing them
//! needs no session.

use super::ApplyError;
use super::temporary::PREFIX;
use crate::fs as writes;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::Builder;

/// Content of a path. Links are not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathContent {
    /// Nothing.
    Nothing,
    /// A file.
    File {
        /// Its content.
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

impl PathContent {
    /// The content of a regular file; `None` for everything else.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::File { bytes, .. } => Some(bytes),
            _ => None,
        }
    }
}

/// Reads what exists at a path.
///
/// # Errors
/// The path or a folder above it cannot be read.
pub fn read_path(path: &Path) -> Result<PathContent, ApplyError> {
    let read = || {
        let meta = match fs::symlink_metadata(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(PathContent::Nothing),
            meta => meta?,
        };
        let kind = meta.file_type();
        Ok(match kind {
            kind if kind.is_symlink() => PathContent::Link,
            kind if kind.is_dir() => PathContent::Folder,
            // Opening a pipe would block.
            kind if !kind.is_file() => PathContent::Special,
            _ => PathContent::File { bytes: crate::fs::read(path)?, mode: meta.permissions().mode() & 0o7777 },
        })
    };
    read().map_err(ApplyError::io(path.display(), "cannot be read"))
}

/// The use of a new file, which decides its permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Text.
    Text,
    /// An executable program.
    Program,
}

/// Writes a file by one rename and creates its folders. An existing file keeps its permissions.
///
/// # Errors
/// The file system reported an error; then an existing file is unchanged.
pub fn replace(path: &Path, bytes: &[u8], new: Use) -> Result<(), ApplyError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let write = || {
        writes::create_dir_all(folder)?;
        // The umask applies to a new file only.
        let mode = if new == Use::Program { 0o777 } else { 0o666 };
        let mut file =
            writes::temporary_file(Builder::new().prefix(PREFIX).permissions(Permissions::from_mode(mode)), folder)?;
        writes::write_all(&mut file, bytes)?;
        if let Ok(was) = fs::metadata(path) {
            writes::set_file_permissions(file.as_file(), was.permissions())?;
        }
        writes::sync_all(file.as_file())?;
        writes::persist(file.into_temp_path(), path)
    };
    write().map_err(ApplyError::io(path.display(), "cannot be written"))
}

/// Removes a file.
///
/// # Errors
/// The file system reported an error.
pub fn remove(path: &Path) -> Result<(), ApplyError> {
    writes::remove_file(path).map_err(ApplyError::io(path.display(), "cannot be removed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn an_existing_file_keeps_its_permissions_and_a_program_is_executable() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("a/text");
        let program = folder.path().join("a/program");
        replace(&text, b"1", Use::Text).unwrap();
        replace(&program, b"1", Use::Program).unwrap();
        assert_eq!((mode(&text) & 0o111, mode(&program) & 0o100), (0, 0o100));
        fs::set_permissions(&program, Permissions::from_mode(0o754)).unwrap();
        replace(&program, b"2", Use::Text).unwrap();
        assert_eq!(read_path(&program).unwrap(), PathContent::File { bytes: b"2".to_vec(), mode: 0o754 });
        assert_eq!(fs::read_dir(folder.path().join("a")).unwrap().count(), 2, "temporary files remain");
    }

    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("folder")).unwrap();
        std::os::unix::fs::symlink("nowhere", at("link")).unwrap();
        assert_eq!(read_path(&at("folder")).unwrap(), PathContent::Folder);
        assert_eq!(read_path(&at("link")).unwrap(), PathContent::Link);
        assert_eq!(read_path(&at("nothing")).unwrap(), PathContent::Nothing);
        fs::write(at("file"), "").unwrap();
        assert!(read_path(&at("file/below")).is_err());
    }

    #[test]
    fn a_folder_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("folder");
        fs::create_dir(&path).unwrap();
        assert!(replace(&path, b"1", Use::Text).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "temporary files remain");
    }
}
