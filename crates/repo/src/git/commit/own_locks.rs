//! The locks that canonry takes: on the index, on HEAD, on branches, and on claims. Each is recorded, and removed by a later run if
//! a kill left it.

use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::ByteSlice as _;
use gix::refs::FullNameRef;

use super::CommitError;
use crate::fs::failpoint;
use crate::git::lock_record::LockRecord;

/// The records below git's own folder.
const INDEX_RECORD: &str = "index-guard";
const REFERENCE_RECORD: &str = "reference-guard";
/// In the folder that all work trees share.
const SHARED_RECORD: &str = "shared-reference-guard";
/// The folders of the references that only canonry changes.
const SHARED_FOLDERS: [&str; 2] = ["refs/canonry", "refs/heads/canonry"];

/// The record of the lock on the index of a work tree.
pub(in crate::git) struct IndexLockRecord(LockRecord);

impl IndexLockRecord {
    /// Takes the lock by `take` and records it.
    pub fn take<T>(
        &self,
        repo: &gix::Repository,
        take: impl FnOnce() -> Result<T, CommitError>,
    ) -> Result<T, CommitError> {
        let fail = |source| CommitError::File { path: self.0.path().to_owned(), source };
        self.0.announce(None).map_err(fail)?;
        let taken = take();
        match &taken {
            Ok(_) => self.0.identify(&lock_of(&repo.index_path())).map_err(fail)?,
            Err(_) => self.0.clear().map_err(fail)?,
        }
        taken
    }
}

/// Waits for the record of the index. Removes the lock that a killed run left.
pub(in crate::git) fn record_index_lock(repo: &gix::Repository) -> Result<IndexLockRecord, CommitError> {
    clean_index(repo, LockRecord::acquire(repo.git_dir(), INDEX_RECORD).map_err(unwritable)?)
}

/// The same without waiting; `None` if another run has the record, or if this is not git's usual index. A hook of a commit
/// works on an index of its own while the commit holds the usual one.
pub(super) fn try_record_index_lock(repo: &gix::Repository) -> Result<Option<IndexLockRecord>, CommitError> {
    if repo.index_path() != repo.git_dir().join("index") {
        return Ok(None);
    }
    let record = LockRecord::try_acquire(repo.git_dir(), INDEX_RECORD).map_err(unwritable)?;
    record.map(|record| clean_index(repo, record)).transpose()
}

/// Removes the locks on the index and on references that a killed run left. Those of other programs stay.
pub(in crate::git) fn remove_left_locks(repo: &gix::Repository) -> Result<(), CommitError> {
    let has_left =
        |record: &str| repo.git_dir().join("canonry").join(record).metadata().is_ok_and(|meta| meta.len() > 0);
    if has_left(INDEX_RECORD) && lock_of(&repo.index_path()).symlink_metadata().is_ok() {
        try_record_index_lock(repo)?;
    }
    if has_left(REFERENCE_RECORD) {
        let record = LockRecord::try_acquire(repo.git_dir(), REFERENCE_RECORD).map_err(unwritable)?;
        record.map_or(Ok(()), |record| clean_references(repo, &record, &[]))?;
    }
    if repo.common_dir().join("canonry").join(SHARED_RECORD).metadata().is_ok_and(|meta| meta.len() > 0) {
        let record = LockRecord::try_acquire(repo.common_dir(), SHARED_RECORD).map_err(unwritable)?;
        record.map_or(Ok(()), |record| clean_shared(repo, &record))?;
    }
    Ok(())
}

/// Changes by `edit` the reference of a claim or of an attempt, with its lock and that of the packed references recorded. `new` is
/// its new value; `None` deletes it.
pub(in crate::git) fn change_shared<T>(
    repo: &gix::Repository,
    new: Option<ObjectId>,
    edit: impl FnOnce() -> T,
) -> Result<T, CommitError> {
    let record = LockRecord::acquire(repo.common_dir(), SHARED_RECORD).map_err(unwritable)?;
    clean_shared(repo, &record)?;
    let fail = |source| CommitError::File { path: record.path().to_owned(), source };
    record.announce(new.map(|id| format!("{id}\n")).as_deref()).map_err(fail)?;
    failpoint::reach("reference").map_err(CommitError::git_io("change a reference"))?;
    let edited = edit();
    // See `move_reference`.
    let _: std::io::Result<()> = record.clear();
    Ok(edited)
}

/// Moves a reference to a commit by `edit`, with its locks recorded.
pub(super) fn move_reference<T>(
    repo: &gix::Repository,
    name: &FullNameRef,
    commit: ObjectId,
    edit: impl FnOnce() -> T,
) -> Result<T, CommitError> {
    let record = LockRecord::acquire(repo.git_dir(), REFERENCE_RECORD).map_err(unwritable)?;
    clean_references(repo, &record, &[name])?;
    let fail = |source| CommitError::File { path: record.path().to_owned(), source };
    // gix writes the new id into the lock of each reference that it updates.
    record.announce(Some(&format!("{commit}\n"))).map_err(fail)?;
    let edited = edit();
    // The reference has moved, so an error here must not look like one of the move. The record is then only outdated.
    let _: std::io::Result<()> = record.clear();
    Ok(edited)
}

fn clean_index(repo: &gix::Repository, record: LockRecord) -> Result<IndexLockRecord, CommitError> {
    let lock = lock_of(&repo.index_path());
    record.remove_left(&lock).map_err(|source| CommitError::File { path: lock, source })?;
    Ok(IndexLockRecord(record))
}

/// Removes the locks of HEAD, its branch and `others`.
fn clean_references(repo: &gix::Repository, record: &LockRecord, others: &[&FullNameRef]) -> Result<(), CommitError> {
    // gix opens no repository without a valid HEAD.
    let head = repo.head_name().ok().flatten();
    let branch = |name: &FullNameRef| lock_path(repo.common_dir().join(name.as_bstr().to_path_lossy()));
    let mut locks = vec![lock_path(repo.git_dir().join("HEAD"))];
    locks.extend(head.iter().map(|name| branch(name.as_ref())));
    locks.extend(others.iter().map(|name| branch(name)));
    for lock in locks {
        record.remove_left(&lock).map_err(|source| CommitError::File { path: lock, source })?;
    }
    Ok(())
}

fn clean_shared(repo: &gix::Repository, record: &LockRecord) -> Result<(), CommitError> {
    if !record.has_left() {
        return Ok(());
    }
    let folders = SHARED_FOLDERS.map(|folder| repo.common_dir().join(folder));
    let files = folders.iter().flat_map(walkdir::WalkDir::new).flatten().map(walkdir::DirEntry::into_path);
    let locks = files.filter(|path| path.extension().is_some_and(|extension| extension == "lock"));
    for lock in locks.chain([repo.common_dir().join("packed-refs.lock")]) {
        record.remove_left(&lock).map_err(|source| CommitError::File { path: lock, source })?;
    }
    // A lock that appears from now on is not one of the killed process.
    record.clear().map_err(|source| CommitError::File { path: record.path().to_owned(), source })
}

/// The path of an index's lock file.
pub(in crate::git) fn lock_of(index: &Path) -> PathBuf {
    lock_path(gix::lock::acquire::resolve_symlink(index))
}

fn lock_path(reference: PathBuf) -> PathBuf {
    let mut lock = reference.into_os_string();
    lock.push(".lock");
    lock.into()
}

fn unwritable((path, source): (PathBuf, std::io::Error)) -> CommitError {
    CommitError::File { path, source }
}
