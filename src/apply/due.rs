//! The first sync after `init`: until it has run, what the mirrors lack is no drift, and the check in this clone is
//! silent about it. Elsewhere, and once the lock has changed, it speaks.

use super::temporary::atomic_file;
use super::{ApplyError, Session};
use crate::fs as writes;
use std::fs;
use std::path::Path;

const NAME: &str = "first-sync-due";

/// A lock by its content; `-` where there is none.
fn name_of(lock: Option<&[u8]>) -> Option<String> {
    let Some(lock) = lock else { return Some("-".to_owned()) };
    let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, lock).ok()?;
    Some(id.to_string())
}

/// Whether `init` made the canon and no sync has followed. `lock` gives the mirrors' lock as it is now; it is asked only
/// where something is noted.
pub fn first_sync_is_due(git_dir: &Path, lock: impl FnOnce() -> Option<Vec<u8>>) -> bool {
    let noted = fs::read_to_string(git_dir.join("canonry").join(NAME)).unwrap_or_default();
    !noted.is_empty() && name_of(lock().as_deref()).is_some_and(|name| noted.lines().any(|line| line == name))
}

impl Session {
    /// Notes that no sync has run yet, now nor once the mirrors' lock is `lock`.
    ///
    /// # Errors
    /// [`ApplyError::Io`] where the folder cannot be used.
    pub fn expect_first_sync(&self, lock: Option<&[u8]>) -> Result<(), ApplyError> {
        let path = self.folder.join(NAME);
        let mut text = fs::read_to_string(&path).unwrap_or_default();
        if let Some(name) = name_of(lock).filter(|name| !text.lines().any(|line| line == name)) {
            text.push_str(&format!("{name}\n"));
        }
        atomic_file(&self.folder, &path, text.as_bytes()).map_err(ApplyError::io(path.display(), "cannot be written"))
    }

    /// Forgets that a first sync is due.
    pub fn first_sync_is_done(&self) {
        // Where it cannot be removed, the lock's new content tells as much.
        let _ = writes::remove_file(&self.folder.join(NAME));
    }
}
