//! A run that may write.

use super::journal::{self, Intent};
use super::kept::keep_aside;
use super::temporary;
use super::write::{self, Writer};
use super::{Applied, ApplyError};
use crate::canon::FileState;
use crate::edit::Edit;
use crate::fs as writes;
use crate::syntax::RepoPath;
use crate::view::View;
use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Holds the repository's canonry lock until it is dropped; a killed process frees it at once.
#[derive(Debug)]
pub struct Session {
    pub(super) folder: PathBuf,
    _lock: File,
    pending: Vec<Intent>,
}

/// For those who only look: states that an unfinished run may have left, and that are therefore ours.
pub fn unfinished(git_dir: &Path) -> Vec<(RepoPath, FileState)> {
    states(&read_journal(&git_dir.join("canonry")))
}

fn read_journal(folder: &Path) -> Vec<Intent> {
    fs::read(folder.join("journal")).map(|text| journal::parse(&text)).unwrap_or_default()
}

fn states(intents: &[Intent]) -> Vec<(RepoPath, FileState)> {
    let states = |i: &Intent| [i.was, i.now].into_iter().flatten().map(|s| (i.path.clone(), s)).collect::<Vec<_>>();
    intents.iter().flat_map(states).collect()
}

/// What to apply.
#[derive(Debug)]
pub struct WritePlan<'a> {
    /// The changes, in order.
    pub edits: &'a [Edit],
    /// Paths whose content must be kept aside before it is replaced or removed.
    pub back_up: &'a [RepoPath],
    /// Files that are written after all others, or removed where there are no bytes: the locks of the mirrors.
    pub locks: Vec<(RepoPath, Option<Vec<u8>>)>,
}

impl Session {
    /// Takes the lock in `git_dir/canonry/` and reads what an unfinished run left.
    ///
    /// # Errors
    /// [`ApplyError::Busy`] where another run holds it, [`ApplyError::Io`] where the folder cannot be used.
    pub fn begin(git_dir: &Path) -> Result<Self, ApplyError> {
        let folder = git_dir.join("canonry");
        let shown = folder.display().to_string();
        writes::create_dir_all(&folder).map_err(ApplyError::io(&shown, "cannot be created"))?;
        let lock = writes::open_or_create(File::options().truncate(false).write(true), &folder.join("lock"))
            .map_err(ApplyError::io(&shown, "the lock cannot be opened"))?;
        lock.try_lock().map_err(|e| match e {
            TryLockError::WouldBlock => ApplyError::Busy,
            TryLockError::Error(e) => ApplyError::io(&shown, "cannot be locked")(e),
        })?;
        let pending = read_journal(&folder);
        Ok(Self { folder, _lock: lock, pending })
    }

    /// States that an unfinished run may have left, and that are therefore ours.
    pub fn pending(&self) -> Vec<(RepoPath, FileState)> {
        states(&self.pending)
    }

    /// The folder that is canonry's own.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Removes the temporary files and the empty folders of an unfinished run.
    pub fn sweep(&self, view: &View) {
        temporary::remove_temporaries(&self.folder);
        let folders: BTreeSet<RepoPath> = self.pending.iter().filter_map(|i| i.path.parent()).collect();
        // A skill's folder that was made aside lies beside it, in the mirror's root.
        let roots =
            self.pending.iter().map(|i| i.path.components().take(2).fold(RepoPath::default(), |r, part| r.join(part)));
        let all: BTreeSet<RepoPath> = folders.iter().cloned().chain(roots).collect();
        all.iter().filter_map(|folder| view.on_disk(folder)).for_each(|folder| temporary::remove_temporaries(&folder));
        write::remove_empty(view, &folders);
    }

    /// Notes parts of shared files that the next plan puts there, as the lock will name them.
    pub fn expect_parts(&mut self, parts: impl IntoIterator<Item = (RepoPath, FileState)>) {
        self.pending.extend(parts.into_iter().map(|(path, state)| Intent { path, was: None, now: Some(state) }));
    }

    /// Applies a plan.
    ///
    /// # Errors
    /// See [`ApplyError`]. Then the journal stays for the next run.
    pub fn apply(&mut self, view: &View, plan: &WritePlan<'_>, cancel: &AtomicBool) -> Result<Applied, ApplyError> {
        if plan.edits.is_empty() && plan.locks.is_empty() {
            self.close()?;
            return Ok(Applied::default());
        }
        let writer = Writer { view, cancel };
        // Before the journal: from then on what is replaced by force counts as ours.
        let backups = keep_aside(view, &self.folder, plan.back_up)?;
        let mut applied = Applied { backups, ..Applied::default() };
        self.note(plan)?;
        writer.remove(plan.edits, &mut applied)?;
        writer.write(plan.edits, &mut applied)?;
        writer.rename(plan.edits, &mut applied)?;
        for (path, bytes) in &plan.locks {
            match bytes {
                Some(bytes) => writer.write_durably(path, bytes)?,
                None => writer.remove_lock(path)?,
            }
        }
        self.close()?;
        Ok(applied)
    }

    /// What a former run left stays noted too until this one is done.
    fn note(&mut self, plan: &WritePlan<'_>) -> Result<(), ApplyError> {
        self.pending.extend(plan.edits.iter().map(Intent::of));
        // Of these last files only the folder matters: no state of it is anyone's.
        let last = plan.locks.iter().map(|(path, _)| Intent { path: path.clone(), was: None, now: None });
        self.pending.extend(last);
        let path = self.folder.join("journal");
        temporary::atomic_file(&self.folder, &path, &journal::to_text(&self.pending))
            .map_err(ApplyError::io(path.display(), "the journal cannot be written"))
    }

    fn close(&mut self) -> Result<(), ApplyError> {
        self.pending.clear();
        let path = self.folder.join("journal");
        match writes::remove_file(&path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                Err(ApplyError::io(path.display(), "the journal cannot be removed")(e))
            }
            _ => Ok(()),
        }
    }
}
