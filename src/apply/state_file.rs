//! Small files in the user's state folder, which only the user may read. Several hooks write them at the same time.

use super::temporary::PREFIX;
use crate::fs as writes;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use tempfile::Builder;

/// Permissions of the files and of their folder.
const FILE_MODE: u32 = 0o600;
const FOLDER_MODE: u32 = 0o700;

/// Appends a line, which has no line ending, in one write. A file of at least `limit` bytes is first renamed to `older`, so that
/// both together stay bounded.
///
/// # Errors
/// The file system reported an error.
pub fn append_line(path: &Path, older: &Path, limit: u64, line: &str) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok_and(|meta| meta.len() >= limit) {
        // Another hook may have renamed it already.
        let _ = writes::rename(path, older);
    }
    let mut file = open_append(path).or_else(|error| {
        create_folder(path)?;
        if error.kind() == io::ErrorKind::NotFound { open_append(path) } else { Err(error) }
    })?;
    writes::write_all(&mut file, format!("{line}\n").as_bytes())
}

fn open_append(path: &Path) -> io::Result<File> {
    writes::open_or_create(OpenOptions::new().append(true).mode(FILE_MODE), path)
}

fn create_folder(path: &Path) -> io::Result<()> {
    let Some(folder) = path.parent().filter(|folder| !folder.is_dir()) else { return Ok(()) };
    writes::create_dir_all(folder)?;
    writes::set_permissions(folder, Permissions::from_mode(FOLDER_MODE))
}

/// Replaces a file by one rename.
///
/// # Errors
/// The file system reported an error; then an existing file is unchanged.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    create_folder(path)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file =
        writes::temporary_file(Builder::new().prefix(PREFIX).permissions(Permissions::from_mode(FILE_MODE)), folder)?;
    writes::write_all(&mut file, bytes)?;
    writes::persist(file.into_temp_path(), path)
}

/// The content of a file of at most `limit` bytes; `None` if there is no such file.
///
/// # Errors
/// The file cannot be read, or is larger.
pub fn read(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(format!("larger than {limit} bytes")));
    }
    Ok(Some(bytes))
}

/// Reads a file and removes it. Of several processes, only one gets the content.
///
/// # Errors
/// The file cannot be read or removed.
pub fn take(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let Some(bytes) = read(path, limit)? else { return Ok(None) };
    match writes::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        removed => removed.map(|()| Some(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_stays_bounded_and_private() {
        let folder = tempfile::tempdir().unwrap();
        let (path, older) = (folder.path().join("a/b/log"), folder.path().join("a/b/log.old"));
        for number in 0..100 {
            append_line(&path, &older, 50, &format!("line {number:03}")).unwrap();
        }
        let size = |path: &Path| fs::metadata(path).unwrap().len();
        assert!(size(&path) <= 60 && size(&older) <= 60, "{} {}", size(&path), size(&older));
        let text = fs::read_to_string(&older).unwrap() + &fs::read_to_string(&path).unwrap();
        assert!(text.ends_with("line 098\nline 099\n"), "{text}");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    }

    #[test]
    fn content_is_taken_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("grant");
        assert_eq!(take(&path, 10).unwrap(), None);
        replace(&path, b"12345").unwrap();
        assert!(take(&path, 4).is_err(), "it is too large");
        let mut taken = Vec::new();
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| take(&path, 10).unwrap())).collect();
            taken.extend(threads.into_iter().filter_map(|thread| thread.join().unwrap()));
        });
        assert_eq!(taken, [b"12345".to_vec()]);
        assert!(!path.exists());
    }
}
