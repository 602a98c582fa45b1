//! Stages content that may differ from the work tree.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::entry::{Flags, Stage, Stat};

use super::CommitError;
use super::index::HeldIndex;
use super::worktree::{PathOutcome, Staged};
use canonry_model::canon::FileState;

/// The new state of a path in the index.
#[derive(Clone, Debug)]
pub struct ToStage {
    /// Relative to the top of the work tree, with `/` as separator.
    pub path: BString,
    /// The new state, with a stored object; `None` to remove the entry.
    pub now: Option<FileState>,
    /// The file with the same content in the work tree, if there is one. Its stat saves git from reading it again.
    pub on_disk: Option<PathBuf>,
}

/// The index under git's own lock. Dropping it releases the lock and leaves the index unchanged.
pub struct Staging {
    held: HeldIndex,
    /// The index that replaces the real one after the commit, if `held` is the index of a partial commit.
    next: Option<HeldIndex>,
}

impl Staging {
    /// Takes the lock without waiting.
    ///
    /// # Errors
    /// [`CommitError::IndexLocked`] if another process holds it.
    pub fn begin(repo: &gix::Repository) -> Result<Self, CommitError> {
        let held = HeldIndex::acquire(repo)?;
        let next = next_index(repo).map(|path| HeldIndex::acquire_at(repo, &path)).transpose()?;
        Ok(Self { held, next })
    }

    /// Stages all changes or none.
    ///
    /// # Errors
    /// A path has a conflict, or the index cannot be written.
    pub fn put(mut self, repo: &gix::Repository, changes: &[ToStage]) -> Result<(), CommitError> {
        let outcomes = outcomes(&self.held.index, changes)?;
        let beside = self.next.as_ref().map(|next| follows(&self.held.index, &next.index, changes)).transpose()?;
        self.held.write(repo, &outcomes)?;
        if let (Some(next), Some(outcomes)) = (&mut self.next, &beside) {
            next.write(repo, outcomes)?;
        }
        self.held.replace()?;
        self.next.map_or(Ok(()), HeldIndex::replace)
    }
}

/// During `git commit PATH`, hooks see an index of that commit alone, `next-index-<process>.lock`. Git has already
/// written the following index into the lock of the real one. A hook that stages changes only in the first would leave
/// the reverse changes staged after the commit.
fn next_index(repo: &gix::Repository) -> Option<PathBuf> {
    let path = repo.index_path();
    let name = path.file_name()?.to_str()?;
    let next = path.with_file_name("index.lock");
    (name.starts_with("next-index-") && name.ends_with(".lock") && next.is_file()).then_some(next)
}

fn outcomes(index: &gix::index::File, changes: &[ToStage]) -> Result<BTreeMap<BString, PathOutcome>, CommitError> {
    changes.iter().map(|change| Ok((change.path.clone(), outcome(index, change)?))).collect()
}

/// The changes that also apply to the following index: paths at which it equals the index of the commit. Other paths
/// were staged by the user for another commit.
fn follows(
    index: &gix::index::File,
    next: &gix::index::File,
    changes: &[ToStage],
) -> Result<BTreeMap<BString, PathOutcome>, CommitError> {
    let at = |index: &gix::index::File, path: &BStr| index.entry_by_path(path).map(|entry| (entry.id, entry.mode));
    let same = |change: &&ToStage| at(index, change.path.as_bstr()) == at(next, change.path.as_bstr());
    let changes: Vec<ToStage> = changes.iter().filter(same).cloned().collect();
    outcomes(next, &changes)
}

fn outcome(index: &gix::index::File, change: &ToStage) -> Result<PathOutcome, CommitError> {
    let path = change.path.as_bstr();
    if is_unmerged(index, path) {
        return Err(CommitError::Unmerged { path: path.to_owned() });
    }
    let Some(now) = change.now else { return Ok(PathOutcome::Gone) };
    // An empty stat never matches, so git reads the file.
    let meta = change.on_disk.as_deref().and_then(|path| gix::index::fs::Metadata::from_path_no_follow(path).ok());
    let stat = meta.as_ref().and_then(|meta| Stat::from_fs(meta).ok()).unwrap_or_default();
    let entry = index.entry_by_path(path);
    let skip_worktree = meta.is_none() && entry.is_some_and(|entry| entry.flags.contains(Flags::SKIP_WORKTREE));
    Ok(PathOutcome::Put(Staged { skip_worktree, ..Staged::new(now.id, now.mode.kind(), stat) }))
}

pub(in crate::git) fn is_unmerged(index: &gix::index::File, path: &BStr) -> bool {
    [Stage::Base, Stage::Ours, Stage::Theirs].iter().any(|stage| index.entry_by_path_and_stage(path, *stage).is_some())
}
