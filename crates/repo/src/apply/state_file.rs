//! Small files in the user's state folder, which only the user may read. Several hooks write them at the same time.

use super::temporary::PREFIX;
use crate::fs as writes;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
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
    let file = match crate::fs::open(path) {
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

/// Renames a file. Of several processes, only one succeeds; false for the others, and if there is no such file.
///
/// # Errors
/// The file system reported an error.
pub fn claim(from: &Path, to: &Path) -> io::Result<bool> {
    match writes::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        renamed => renamed.map(|()| true),
    }
}

/// Removes a file. True if it was created or renamed at most `age` ago, and no other process has removed it.
pub fn remove_recent(path: &Path, age: Duration) -> bool {
    let Ok(meta) = fs::symlink_metadata(path) else { return false };
    let changed = UNIX_EPOCH + Duration::from_secs(u64::try_from(meta.ctime()).unwrap_or_default());
    // The time is cut to seconds.
    let is_recent = SystemTime::now().duration_since(changed).is_ok_and(|past| past <= age + Duration::from_secs(1));
    writes::remove_file(path).is_ok() && is_recent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_stays_bounded_and_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/log");
        let older = folder.path().join("a/b/log.old");
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
    fn only_one_process_claims_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        assert!(!claim(&at("grant"), &at("claimed")).unwrap());
        replace(&at("grant"), b"12345").unwrap();
        let claimed = std::thread::scope(|scope| {
            let at = &at;
            let threads: Vec<_> = (0..8)
                .map(|number| scope.spawn(move || claim(&at("grant"), &at(&format!("claimed-{number}"))).unwrap()))
                .collect();
            threads.into_iter().filter_map(|thread| thread.join().ok()).filter(|is_claimed| *is_claimed).count()
        });
        assert_eq!(claimed, 1);
        assert!(read(&at("claimed-0"), 4).is_err() || read(&at("claimed-0"), 4).unwrap().is_none());
    }

    #[test]
    fn a_recent_file_is_removed_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("used");
        assert!(!remove_recent(&path, Duration::from_secs(2)));
        replace(&path, b"1").unwrap();
        assert!(remove_recent(&path, Duration::from_secs(2)));
        assert!(!remove_recent(&path, Duration::from_secs(2)));
    }
}
