//! Records which of git's lock files this process holds, so that a later run can remove them if this process is killed.
//!
//! The record is itself a locked file. The system releases that lock when the process ends, however it ends: whoever gets
//! the record knows that its writer no longer runs. The lock files of other programs are never removed.

use std::fs::{File, Metadata};
use std::io::{Read as _, Seek as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::fs as writes;
use crate::fs::lock::open_lock;

/// A process was about to take a lock, and was killed before it could record which file it got. The file appeared within this
/// time after the record.
const MAX_DELAY: Duration = Duration::from_secs(2);
/// An unidentified lock is removed if nobody has used it for this long. git holds an empty lock that is not open for
/// milliseconds.
const QUIET_TIME: Duration = Duration::from_secs(2);
/// Written before a lock is taken.
const PENDING: &str = "pending";

/// The record of this process, held until it is dropped.
pub(super) struct LockRecord {
    file: File,
    path: PathBuf,
    /// Content of the record before this process got it.
    left: LeftLocks,
}

/// Locks that a killed process recorded.
#[derive(Default)]
struct LeftLocks {
    /// The identity of the lock file, the content of the lock file, or [`PENDING`].
    mark: String,
    /// When it was recorded, by the clock of the file system.
    at: Option<SystemTime>,
}

impl LockRecord {
    /// Waits until no other process has the record.
    pub fn acquire(git_dir: &Path, name: &str) -> Result<Self, (PathBuf, std::io::Error)> {
        let (file, path) = open(git_dir, name)?;
        file.lock().map_err(|error| (path.clone(), error))?;
        Self::read(file, path)
    }

    /// `None` if another process has the record.
    pub fn try_acquire(git_dir: &Path, name: &str) -> Result<Option<Self>, (PathBuf, std::io::Error)> {
        let (file, path) = open(git_dir, name)?;
        match file.try_lock() {
            Ok(()) => Self::read(file, path).map(Some),
            Err(std::fs::TryLockError::WouldBlock) => Ok(None),
            Err(std::fs::TryLockError::Error(error)) => Err((path, error)),
        }
    }

    fn read(mut file: File, path: PathBuf) -> Result<Self, (PathBuf, std::io::Error)> {
        let mut mark = String::new();
        file.read_to_string(&mut mark).map_err(|error| (path.clone(), error))?;
        let at = file.metadata().and_then(|meta| meta.modified()).ok();
        Ok(Self { file, path, left: LeftLocks { mark, at } })
    }

    /// The file of the record.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a killed process may have left a lock.
    pub fn has_left(&self) -> bool {
        !self.left.mark.is_empty()
    }

    /// Removes a lock file that the killed process left.
    pub fn remove_left(&self, lock: &Path) -> std::io::Result<()> {
        if !self.has_left() || !self.left.owns(lock) {
            return Ok(());
        }
        match writes::remove_file(lock) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    /// Records that this process is about to take a lock into which it writes `content`, if that is known.
    pub fn announce(&self, content: Option<&str>) -> std::io::Result<()> {
        self.replace(content.unwrap_or(PENDING))
    }

    /// Records which file this process got. Without an identity, the record stays as announced.
    pub fn identify(&self, lock: &Path) -> std::io::Result<()> {
        identity(lock).map_or(Ok(()), |identity| self.replace(&identity))
    }

    /// Records that this process holds no lock.
    pub fn clear(&self) -> std::io::Result<()> {
        writes::set_len(&self.file, 0)
    }

    /// Truncates last: a kill in between must not leave a record that names no lock.
    fn replace(&self, text: &str) -> std::io::Result<()> {
        (&self.file).rewind()?;
        writes::write_all(&mut &self.file, text.as_bytes())?;
        writes::set_len(&self.file, text.len() as u64)
    }
}

fn open(git_dir: &Path, name: &str) -> Result<(File, PathBuf), (PathBuf, std::io::Error)> {
    let path = git_dir.join("canonry").join(name);
    match open_lock(&path) {
        Ok(file) => Ok((file, path)),
        Err(error) => Err((path, error)),
    }
}

impl LeftLocks {
    /// Whether the killed process took this lock.
    fn owns(&self, lock: &Path) -> bool {
        if identity(lock).is_some_and(|identity| identity == self.mark) {
            return true;
        }
        // No other process writes the id of a commit that only the killed one knew.
        let is_announced =
            self.mark != PENDING && crate::fs::read(lock).is_ok_and(|bytes| bytes == self.mark.as_bytes());
        is_announced || (self.is_of_content_or_pending() && self.took_unidentified(lock))
    }

    /// Whether the process had not yet identified the file.
    fn is_of_content_or_pending(&self) -> bool {
        self.mark == PENDING || self.mark.ends_with('\n')
    }

    /// Whether the process was killed in the moment between taking the lock and identifying it: the file is empty, appeared
    /// right after the record was written, and nobody uses it.
    fn took_unidentified(&self, lock: &Path) -> bool {
        let Ok(before) = std::fs::symlink_metadata(lock) else { return false };
        let delay = self.at.and_then(|at| before.created().ok()?.duration_since(at).ok());
        if !is_empty_file(&before) || delay.is_none_or(|delay| delay > MAX_DELAY) {
            return false;
        }
        let age = before.created().ok().and_then(|created| created.elapsed().ok()).unwrap_or_default();
        std::thread::sleep(QUIET_TIME.saturating_sub(age));
        let Ok(now) = std::fs::symlink_metadata(lock) else { return false };
        identity_of(&now).is_some()
            && identity_of(&now) == identity_of(&before)
            && is_empty_file(&now)
            && !is_open(lock)
    }
}

fn is_empty_file(meta: &Metadata) -> bool {
    meta.is_file() && meta.len() == 0
}

/// Whether a process of this user has the file open, as far as the system says.
fn is_open(path: &Path) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let files =
        processes.flat_map(|process| std::fs::read_dir(process.path().join("fd")).into_iter().flatten().flatten());
    files.into_iter().any(|file| std::fs::read_link(file.path()).is_ok_and(|to| to == path))
}

/// Difference between a file and a later one with the same name. `None` if the file system does not know when a file
/// was created, because its number alone can be used again.
fn identity(path: &Path) -> Option<String> {
    identity_of(&std::fs::symlink_metadata(path).ok()?)
}

fn identity_of(meta: &Metadata) -> Option<String> {
    let created = meta.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{}:{}:{}", meta.dev(), meta.ino(), created.as_nanos()))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn lock(&self) -> PathBuf {
            self.0.path().join("index.lock")
        }

        fn record(&self) -> LockRecord {
            LockRecord::acquire(self.0.path(), "record").unwrap()
        }

        fn is_removed(&self) -> bool {
            self.record().remove_left(&self.lock()).unwrap();
            !self.lock().exists()
        }
    }

    #[test]
    fn a_lock_is_removed_only_if_the_killed_process_took_it() {
        let folder = Folder::new();
        std::fs::write(folder.lock(), "").unwrap();
        folder.record().announce(None).unwrap();
        assert!(!folder.is_removed(), "it was there before the record");

        let record = folder.record();
        record.identify(&folder.lock()).unwrap();
        assert!(LockRecord::try_acquire(folder.0.path(), "record").unwrap().is_none(), "its owner runs");
        drop(record);
        std::fs::write(folder.lock(), "half an index").unwrap();
        assert!(folder.is_removed(), "its owner identified it");

        std::fs::write(folder.lock(), "").unwrap();
        assert!(!folder.is_removed(), "another file with the same name");
    }

    #[test]
    fn a_lock_with_the_announced_content_is_removed() {
        let folder = Folder::new();
        folder.record().announce(Some("0123\n")).unwrap();
        std::fs::write(folder.lock(), "4567\n").unwrap();
        assert!(!folder.is_removed(), "another commit");
        std::fs::write(folder.lock(), "0123\n").unwrap();
        assert!(folder.is_removed());
        folder.record().clear().unwrap();
        std::fs::write(folder.lock(), "").unwrap();
        assert!(!folder.is_removed(), "the process released its locks");
    }

    #[test]
    fn a_lock_taken_right_before_the_kill_is_removed_unless_it_is_used() {
        let folder = Folder::new();
        folder.record().announce(None).unwrap();
        let used = File::create(folder.lock()).unwrap();
        assert!(!folder.is_removed() || !cfg!(target_os = "linux"), "a process has it open");
        drop(used);
        if folder.lock().exists() && identity(&folder.lock()).is_some() {
            assert!(folder.is_removed());
        }
    }
}
