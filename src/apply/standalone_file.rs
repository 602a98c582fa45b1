//! Single files that stand alone: hooks, workflows, manual pages. Nothing of theirs is in the mirrors' lock, so that no
//! session is needed.

use super::ApplyError;
use super::temporary::PREFIX;
use crate::fs as writes;
use std::fs::{self, Permissions};
use std::io;
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
        writes::create_dir_all(folder)?;
        // The umask has its say about a new file, and none about one that was there.
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
/// The file system refused.
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
    fn a_file_keeps_its_permissions_and_a_program_can_be_run() {
        let folder = tempfile::tempdir().unwrap();
        let (text, program) = (folder.path().join("a/text"), folder.path().join("a/program"));
        replace(&text, b"1", Use::Text).unwrap();
        replace(&program, b"1", Use::Program).unwrap();
        assert_eq!((mode(&text) & 0o111, mode(&program) & 0o100), (0, 0o100));
        fs::set_permissions(&program, Permissions::from_mode(0o754)).unwrap();
        replace(&program, b"2", Use::Text).unwrap();
        assert_eq!(look(&program).unwrap(), Standing::File { bytes: b"2".to_vec(), mode: 0o754 });
        assert_eq!(fs::read_dir(folder.path().join("a")).unwrap().count(), 2, "temporary files are left");
    }

    #[test]
    fn what_is_no_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("folder")).unwrap();
        std::os::unix::fs::symlink("nowhere", at("link")).unwrap();
        assert_eq!(look(&at("folder")).unwrap(), Standing::Folder);
        assert_eq!(look(&at("link")).unwrap(), Standing::Link);
        assert_eq!(look(&at("nothing")).unwrap(), Standing::Nothing);
        fs::write(at("file"), "").unwrap();
        assert!(look(&at("file/below")).is_err());
    }

    #[test]
    fn a_folder_in_the_way_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("folder");
        fs::create_dir(&path).unwrap();
        assert!(replace(&path, b"1", Use::Text).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "temporary files are left");
    }
}
