//! The index, which is locked from start to end, read once and written once.

use std::collections::BTreeMap;
use std::path::Path;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::entry::{Flags, Mode, Stage};
use gix::index::extension::Tree as CachedTree;

use super::CommitError;
use super::own_locks::{IndexLockRecord, lock_of, try_record_index_lock};
use super::worktree::{PathOutcome, Staged};
use crate::fs::failpoint;
use crate::git::sparse_index::expand;

/// The index under its lock. Dropping it releases the lock and leaves the index unchanged.
pub(in crate::git) struct HeldIndex {
    lock: gix::lock::File,
    /// The index as read, later as it will be written.
    pub index: gix::index::File,
    /// Dropped last: whoever gets the record removes the lock.
    _record: Option<IndexLockRecord>,
}

impl HeldIndex {
    /// Takes the lock without waiting, then reads the index. A missing index is empty. If a killed run left the lock, it is
    /// removed first.
    pub fn acquire(repo: &gix::Repository) -> Result<Self, CommitError> {
        match try_record_index_lock(repo)? {
            Some(record) => Ok(Self::acquire_recorded(repo, &record)?.with_record(record)),
            None => Self::acquire_at(repo, &repo.index_path()),
        }
    }

    /// Like [`Self::acquire`], with a record that outlives the lock.
    pub fn acquire_recorded(repo: &gix::Repository, record: &IndexLockRecord) -> Result<Self, CommitError> {
        record.take(repo, || Self::acquire_at(repo, &repo.index_path()))
    }

    fn with_record(self, record: IndexLockRecord) -> Self {
        Self { _record: Some(record), ..self }
    }

    /// Like [`Self::acquire`], for an index at another path.
    pub fn acquire_at(repo: &gix::Repository, path: &Path) -> Result<Self, CommitError> {
        failpoint::reach("index lock").map_err(CommitError::git_io("lock the index"))?;
        let lock = gix::lock::File::acquire(
            path,
            gix::lock::acquire::Fail::Immediately,
            None,
            shared_permissions(repo)?,
            Some(&gix::lock::acquire::resolve_symlink),
        )
        .map_err(|source| {
            if source.is_retryable() {
                CommitError::IndexLocked { lock: lock_of(path) }
            } else {
                CommitError::Git { doing: "lock the index", source }
            }
        })?;
        // git itself checks the checksum only in fsck; it would double the time of reading.
        let skip_checksum = true;
        let index = gix::index::File::at_or_default(
            path,
            repo.object_hash(),
            skip_checksum,
            gix::index::decode::Options::default(),
        )
        .map_err(CommitError::git("read the index"))?;
        let index = expand(repo, index).map_err(CommitError::git("expand the sparse index"))?;
        Ok(Self { lock, index, _record: None })
    }

    /// Updates the entries of the committed paths and writes the index into the lock file.
    pub fn write(
        &mut self,
        repo: &gix::Repository,
        outcomes: &BTreeMap<BString, PathOutcome>,
    ) -> Result<(), CommitError> {
        let fail = CommitError::git("write the index");
        smudge_racy(&mut self.index, repo.stat_options().map_err(&fail)?);
        follow(&mut self.index, outcomes);
        let bytes = serialized(repo, &self.index).map_err(fail)?;
        self.lock
            .with_mut(|file| crate::fs::write_all(file, &bytes))
            .map_err(|source| CommitError::File { path: self.lock.lock_path().to_owned(), source })
    }

    /// Replaces the index with the written one, without a commit.
    pub fn replace(self) -> Result<(), CommitError> {
        let path = self.lock.lock_path().to_owned();
        let replaced = failpoint::reach("index").and_then(|()| self.lock.commit().map_err(|failed| failed.error));
        replaced.map(|_| ()).map_err(|source| CommitError::File { path, source })
    }

    /// Replaces the index with the written one, after HEAD moved to `commit`.
    pub fn publish(self, commit: ObjectId) -> Result<(), CommitError> {
        let published = failpoint::reach("index").and_then(|()| self.lock.commit().map_err(|failed| failed.error));
        published.map(|_| ()).map_err(|source| CommitError::IndexNotPublished { id: commit, source })
    }
}

pub(in crate::git) fn serialized(repo: &gix::Repository, index: &gix::index::State) -> gix::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(index.path_backing().len() + 80 * index.entries().len());
    index.write_to(&mut bytes, Default::default())?;
    // Without this mark, git 2.47 collapses folders when it reads the index. With an entry of `git add -N`, it then writes one entry
    // repeatedly and loses others: <https://git-scm.com/docs/index-format#_sparse_directory_entries>.
    if repo.config_snapshot().boolean("index.sparse") == Some(true) {
        bytes.extend_from_slice(b"sdir\0\0\0\0");
    }
    let digest = match repo.config_snapshot().boolean("index.skipHash") {
        Some(true) => index.object_hash().null(),
        // Hashing all bytes at once takes half the time of gix's field by field.
        _ => {
            let mut hasher = gix::hash::hasher(index.object_hash());
            hasher.update(&bytes);
            hasher.try_finalize()?
        }
    };
    bytes.extend_from_slice(digest.as_slice());
    Ok(bytes)
}

/// The file mode for `core.sharedRepository`.
fn shared_permissions(repo: &gix::Repository) -> Result<i32, CommitError> {
    match repo.config_snapshot().string("core.sharedRepository") {
        None => Ok(0),
        value => gix::config::tree::Core::SHARED_REPOSITORY
            .try_into_shared_repository(value)
            .map_err(CommitError::git("understand core.sharedRepository")),
    }
}

/// Files that changed in the same second in which the old index was written are racy: git compares their content only
/// while the index is not newer. Clearing the size makes git read them after the new index is written.
fn smudge_racy(index: &mut gix::index::File, options: gix::index::entry::stat::Options) {
    let written = index.timestamp();
    for entry in index.entries_mut() {
        if entry.stat.is_racy(written, options) {
            entry.stat.size = 0;
        }
    }
}

/// Updates the entries of paths.
pub(in crate::git) fn follow(index: &mut gix::index::State, outcomes: &BTreeMap<BString, PathOutcome>) {
    index.remove_resolve_undo();
    let mut added = Vec::new();
    for (path, outcome) in outcomes {
        if let Some(cached) = index.tree_mut() {
            invalidate(cached, path.as_bstr());
        }
        let entry = index.entry_mut_by_path_and_stage(path.as_bstr(), Stage::Unconflicted);
        match (outcome, entry) {
            (PathOutcome::Gone, Some(entry)) => entry.flags.insert(Flags::REMOVE),
            (PathOutcome::Gone, None) => {}
            (PathOutcome::Put(staged), Some(entry)) => {
                entry.id = staged.id;
                entry.mode = mode_of(staged);
                entry.stat = staged.stat;
                entry.flags = flags_of(staged);
            }
            (PathOutcome::Put(staged), None) => added.push((path, staged)),
        }
    }
    if added.is_empty() {
        return;
    }
    // Added last, because the search by path needs sorted entries.
    for (path, staged) in added {
        index.dangerously_push_entry(staged.stat, staged.id, flags_of(staged), mode_of(staged), path.as_bstr());
    }
    index.sort_entries();
}

fn flags_of(staged: &Staged) -> Flags {
    if staged.skip_worktree { Flags::SKIP_WORKTREE | Flags::EXTENDED } else { Flags::empty() }
}

fn mode_of(staged: &Staged) -> Mode {
    gix::objs::tree::EntryMode::from(staged.kind).into()
}

/// Drops the cached trees above `path`, because gix writes them unchanged and git trusts them.
fn invalidate(mut node: &mut CachedTree, path: &BStr) {
    node.num_entries = None;
    let mut rest = path;
    while let Some((folder, tail)) = rest.split_once_str("/") {
        rest = tail.as_bstr();
        match node.children.iter_mut().find(|child| child.name.as_slice() == folder) {
            Some(child) => node = child,
            None => return,
        }
        node.num_entries = None;
    }
    // A file may have been a folder before.
    node.children.retain(|child| child.name.as_slice() != rest.as_bytes());
}
