//! Merges the branch of an attempt into the branch that is checked out.
//!
//! The order of the writes makes every interruption recoverable: a record of the two tips, the files, the branch, the
//! index, and the end of the record. Until the branch moves, a killed run leaves local changes that equal the merged
//! files, never a state that looks like reverted work. The next call finishes what the record says.

#[cfg(test)]
mod kill_tests;
mod merge;
mod plan;
mod record;
mod revert;
mod smudge;
mod temporary;
#[cfg(test)]
mod tests;
mod write;

pub(in crate::git) use merge::unresolved_paths;
pub use revert::revert;

use std::collections::BTreeMap;

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use gix::index::entry::Stat;

use super::commit::head::Leaf;
use super::commit::index::HeldIndex;
use super::commit::own_locks::{IndexLockRecord, record_index_lock};
use super::commit::preflight::{Signatures, people};
use super::commit::record::{RefMove, head_name};
use super::commit::worktree::{PathOutcome, Staged};
use super::commit::{CommitError, unoccupied};
use super::diff::{self, TreeChanges, is_ancestor, tree_of};
use canonry_text::RepoPath;
use merge::{MergeResult, merge};
use plan::{CheckoutPlan, PlanInput};
use record::IntegrationRecord;

/// A branch to merge into the branch that is checked out, which only moves forward if that is possible.
#[derive(Clone, Copy, Debug)]
pub struct MergeRequest<'a> {
    /// The commit to merge.
    pub tip: ObjectId,
    /// The message of a merge commit. White space is cleaned up as in git.
    pub message: &'a str,
    /// Merge only while the branch is at this commit.
    pub onto: Option<ObjectId>,
    /// The content of a file in a merge commit, which then has no conflict: from the top of the repository.
    pub resolved: Option<(&'a RepoPath, &'a [u8])>,
}

/// The result of [`integrate`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Integrated {
    /// The branch already contains the commit.
    UpToDate,
    /// The branch is now at `commit`, which changed these paths.
    Merged { commit: ObjectId, paths: Vec<RepoPath> },
    /// Both sides changed these paths. Nothing was changed.
    Conflict { paths: Vec<RepoPath> },
    /// The user's changes at these paths, or untracked files, are in the way. Nothing was changed.
    Dirty { paths: Vec<RepoPath> },
    /// The branch is not at the commit that was asked for. Nothing was changed.
    Moved,
}

/// Preview of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergePreview {
    /// Where the branch is.
    pub head: ObjectId,
    /// A commit with the merged tree, which nothing refers to. `None` if the branch moves to the merged commit itself, has it
    /// already, or conflicts with it.
    pub merged: Option<ObjectId>,
}

/// Computes what [`integrate`] would check out. Changes neither the branch nor the work tree.
///
/// # Errors
/// See [`CommitError`].
pub fn preview(repo: &gix::Repository, request: &MergeRequest<'_>) -> Result<MergePreview, CommitError> {
    let head = head(repo)?;
    if is_ancestor(repo, request.tip, head)? {
        return Ok(MergePreview { head, merged: None });
    }
    let merged = match merge(repo, head, request)? {
        MergeResult::FastForward | MergeResult::Conflict { .. } => None,
        MergeResult::Tree(tree) => Some(merge::commit(repo, &people(repo)?, head, tree, request)?),
    };
    Ok(MergePreview { head, merged })
}

/// Whether the branch that is checked out has the work of a commit; see [`diff::has_work`].
///
/// # Errors
/// See [`CommitError`].
pub fn has_work(repo: &gix::Repository, tip: ObjectId) -> Result<bool, CommitError> {
    diff::has_work(repo, head(repo)?, tip)
}

/// Merges a commit into the branch that is checked out in the work tree of `repo`, and brings the index and the work tree
/// along at the paths that differ. Changes of the user at other paths stay, staged or not. git's hooks do not run.
///
/// First finishes an integration that was interrupted; see [`finish_interrupted`].
///
/// # Errors
/// See [`CommitError`]; [`CommitError::kind`] gives the class. If the file system fails midway, the next call finishes.
pub fn integrate(repo: &gix::Repository, request: &MergeRequest<'_>) -> Result<Integrated, CommitError> {
    let integration = OpenIntegration::begin(repo)?;
    if let Some(finished) = integration.finish()?
        && finished.tip == request.tip
    {
        return Ok(finished.result);
    }
    let head = head(repo)?;
    if request.onto.is_some_and(|onto| onto != head) {
        return Ok(Integrated::Moved);
    }
    if is_ancestor(repo, request.tip, head)? {
        IntegrationRecord::clear(repo)?;
        return Ok(Integrated::UpToDate);
    }
    let tree = match merge(repo, head, request)? {
        MergeResult::Conflict { paths } => return Ok(Integrated::Conflict { paths }),
        MergeResult::FastForward => tree_of(repo, request.tip)?,
        MergeResult::Tree(tree) => tree,
    };
    integration.apply(head, request.tip, tree, NewCommit::From(request))
}

/// Finishes an integration that was interrupted, as [`integrate`] does at its start. A run calls it before it looks at the
/// state of the repository. `None` if there is nothing to finish.
///
/// # Errors
/// See [`integrate`].
pub fn finish_interrupted(repo: &gix::Repository) -> Result<Option<Integrated>, CommitError> {
    if IntegrationRecord::load(repo)?.is_none() {
        return Ok(None);
    }
    Ok(OpenIntegration::begin(repo)?.finish()?.map(|finished| finished.result))
}

/// An integration in progress. Only one process at a time has one for a work tree.
struct OpenIntegration<'r> {
    repo: &'r gix::Repository,
    people: Signatures<'r>,
    index_lock: IndexLockRecord,
    /// Record of an interrupted integration.
    interrupted: Option<IntegrationRecord>,
}

/// An interrupted integration that was finished, or could not be.
struct Finished {
    tip: ObjectId,
    result: Integrated,
}

/// The commit that the branch moves to.
enum NewCommit<'a> {
    /// A new merge commit, or the merged tip.
    From(&'a MergeRequest<'a>),
    /// One that was written before an interruption.
    Existing(ObjectId),
}

fn head(repo: &gix::Repository) -> Result<ObjectId, CommitError> {
    repo.head_id().map(gix::Id::detach).map_err(CommitError::git("read HEAD"))
}

impl<'r> OpenIntegration<'r> {
    fn begin(repo: &'r gix::Repository) -> Result<Self, CommitError> {
        let people = people(repo)?;
        unoccupied(repo)?;
        let index_lock = record_index_lock(repo)?;
        IntegrationRecord::sweep(repo)?;
        Ok(Self { repo, people, index_lock, interrupted: IntegrationRecord::load(repo)? })
    }

    fn finish(&self) -> Result<Option<Finished>, CommitError> {
        let Some(record) = &self.interrupted else { return Ok(None) };
        let head = head(self.repo)?;
        if head == record.new {
            let paths = self.repair_index(record)?;
            IntegrationRecord::clear(self.repo)?;
            let result = Integrated::Merged { commit: record.new, paths };
            return Ok(Some(Finished { tip: record.tip, result }));
        }
        // Otherwise somebody moved the branch. The files that were written still count as ours.
        if head == record.old {
            let tree = tree_of(self.repo, record.new)?;
            let result = self.apply(record.old, record.tip, tree, NewCommit::Existing(record.new))?;
            return Ok(Some(Finished { tip: record.tip, result }));
        }
        Ok(None)
    }

    /// Moves the work tree, the branch and the index from `head` to a commit with `tree`.
    fn apply(
        &self,
        head: ObjectId,
        tip: ObjectId,
        tree: ObjectId,
        commit: NewCommit<'_>,
    ) -> Result<Integrated, CommitError> {
        let repo = self.repo;
        let changes = TreeChanges::between(repo, tree_of(repo, head)?, tree)?;
        if let Some(paths) = changes.submodules() {
            return Ok(Integrated::Conflict { paths });
        }
        let mut held = HeldIndex::acquire_recorded(repo, &self.index_lock)?;
        // These operations take the same lock, so the answer stays true from here on.
        unoccupied(repo)?;
        let written = self.interrupted.as_ref().map(|record| tree_of(repo, record.new)).transpose()?;
        let input = PlanInput { changes: &changes, written };
        let plan = CheckoutPlan::make(repo, &held.index, &input)?;
        if !plan.obstacles.is_empty() {
            return Ok(Integrated::Dirty { paths: plan.obstacles });
        }
        let new = match commit {
            NewCommit::Existing(new) => new,
            NewCommit::From(request) => merge::commit(repo, &self.people, head, tree, request)?,
        };
        IntegrationRecord { old: head, new, tip }.store(repo)?;
        if self.interrupted.is_some() {
            plan.sweep()?;
        }
        if let Some(path) = plan.write()? {
            plan.undo()?;
            IntegrationRecord::clear(repo)?;
            return Ok(Integrated::Dirty { paths: vec![RepoPath::new(path)] });
        }
        let outcomes = plan.outcomes()?;
        held.write(repo, &outcomes)?;
        if let Err(error) = self.move_head(head, new, tip) {
            plan.undo()?;
            IntegrationRecord::clear(repo)?;
            return Err(error);
        }
        held.publish(new)?;
        IntegrationRecord::clear(repo)?;
        Ok(Integrated::Merged { commit: new, paths: changes.paths() })
    }

    fn move_head(&self, head: ObjectId, new: ObjectId, tip: ObjectId) -> Result<(), CommitError> {
        let how = if new == tip { "Fast-forward" } else { "Merge made by canonry" };
        let log = BString::from(format!("merge {tip}: {how}"));
        RefMove { name: head_name()?, from: Some(head), to: new, log }.apply(self.repo, &self.people)
    }

    /// The branch had moved already: gives the index entries that are still old their new state. The files are new.
    fn repair_index(&self, record: &IntegrationRecord) -> Result<Vec<RepoPath>, CommitError> {
        let repo = self.repo;
        let old = tree_of(repo, record.old)?;
        let new = tree_of(repo, record.new)?;
        let changes = TreeChanges::between(repo, old, new)?;
        let mut held = HeldIndex::acquire_recorded(repo, &self.index_lock)?;
        let excluded = plan::excluded_additions(repo, &changes)?;
        let mut outcomes = BTreeMap::new();
        for (path, (before, after)) in &changes.leaves {
            if plan::staged(&held.index, path.as_bstr()) != *before {
                continue;
            }
            let skip_worktree = plan::is_skipped(&held.index, path.as_bstr()) || excluded.contains(path);
            // Without times, git compares the content and then updates the entry.
            let staged = |leaf: Leaf| Staged { skip_worktree, ..Staged::new(leaf.id, leaf.kind, Stat::default()) };
            let outcome = after.map_or(PathOutcome::Gone, |leaf| PathOutcome::Put(staged(leaf)));
            outcomes.insert(path.clone(), outcome);
        }
        held.write(repo, &outcomes)?;
        held.publish(record.new)?;
        Ok(changes.paths())
    }
}
