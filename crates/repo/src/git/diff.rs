//! Differences between commits, and questions about the history.

use std::collections::BTreeMap;

use gix::ObjectId;
use gix::bstr::{BStr, BString};
use gix::diff::blob::{Algorithm, Diff, InternedInput};
use gix::merge::blob::builtin_driver::text::Labels;
use gix::merge::tree::TreatAsUnresolved;
use gix::object::tree::diff::ChangeDetached as Change;
use gix::objs::tree::{EntryKind, EntryMode};

use super::commit::CommitError;
use super::commit::head::Leaf;
use canonry_text::RepoPath;

/// A file that differs between two commits. A renamed file counts at both paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    pub path: RepoPath,
    /// Lines added and removed, as `git diff --numstat --no-renames` counts them; 0 for a binary file.
    pub added: u64,
    pub removed: u64,
}

/// The files that differ between two commits, sorted by path.
///
/// # Errors
/// An object cannot be read.
pub fn changed_files(repo: &gix::Repository, from: ObjectId, to: ObjectId) -> Result<Vec<ChangedFile>, CommitError> {
    let changes = TreeChanges::between(repo, tree_of(repo, from)?, tree_of(repo, to)?)?;
    changes.leaves.into_iter().map(|(path, (old, new))| changed_file(repo, &path, old, new)).collect()
}

/// Whether `commit` is `of` or one of its ancestors.
///
/// # Errors
/// A commit cannot be read.
pub fn is_ancestor(repo: &gix::Repository, commit: ObjectId, of: ObjectId) -> Result<bool, CommitError> {
    if commit == of {
        return Ok(true);
    }
    let base = repo.merge_base(commit, of).map_err(CommitError::git("read the history of a branch"))?;
    Ok(base.is_some_and(|base| base == commit))
}

/// Whether a commit has the work of another: the commit itself, or, after a squash or a rebase, all its changes. Writes nothing.
///
/// # Errors
/// An object cannot be read.
pub fn has_work(repo: &gix::Repository, into: ObjectId, tip: ObjectId) -> Result<bool, CommitError> {
    if is_ancestor(repo, tip, into)? {
        return Ok(true);
    }
    let fail = CommitError::git("compare two commits");
    let repo = repo.clone().with_object_memory();
    let options = repo.tree_merge_options().map_err(&fail)?;
    let mut merged = repo.merge_commits(into, tip, Labels::default(), options.into()).map_err(&fail)?.tree_merge;
    if merged.has_unresolved_conflicts(TreatAsUnresolved::git()) {
        return Ok(false);
    }
    Ok(merged.tree.write().map_err(fail)?.detach() == tree_of(&repo, into)?)
}

/// Whether a commit has a file or a link at a path.
///
/// # Errors
/// An object cannot be read.
pub fn has_file(repo: &gix::Repository, commit: ObjectId, path: &RepoPath) -> Result<bool, CommitError> {
    let entry = entry_at(repo, tree_of(repo, commit)?, path.as_bstr())?;
    Ok(entry.is_some_and(|(_, mode)| !mode.is_tree()))
}

pub(super) fn tree_of(repo: &gix::Repository, commit: ObjectId) -> Result<ObjectId, CommitError> {
    let fail = CommitError::git("read a commit");
    let commit = repo.find_commit(commit).map_err(&fail)?;
    commit.tree_id().map(gix::Id::detach).map_err(fail)
}

/// The files, links and submodules that differ between two trees, each with its old and its new state.
#[derive(Default)]
pub(super) struct TreeChanges {
    pub leaves: BTreeMap<BString, (Option<Leaf>, Option<Leaf>)>,
}

impl TreeChanges {
    pub fn between(repo: &gix::Repository, old: ObjectId, new: ObjectId) -> Result<Self, CommitError> {
        let fail = CommitError::git("read a tree");
        let old = repo.find_tree(old).map_err(&fail)?;
        let new = repo.find_tree(new).map_err(&fail)?;
        let mut options = gix::diff::Options::default();
        options.track_path();
        let mut changes = Self::default();
        for change in repo.diff_tree_to_tree(&old, &new, options).map_err(fail)? {
            let (path, old, new) = match change {
                Change::Deletion { location, entry_mode, id, .. } => (location, leaf(entry_mode, id), None),
                Change::Addition { location, entry_mode, id, .. } => (location, None, leaf(entry_mode, id)),
                Change::Modification { location, previous_entry_mode, previous_id, entry_mode, id } => {
                    (location, leaf(previous_entry_mode, previous_id), leaf(entry_mode, id))
                }
                // Only with `track_rewrites`.
                Change::Rewrite { .. } => continue,
            };
            if old.is_some() || new.is_some() {
                changes.leaves.insert(path, (old, new));
            }
        }
        Ok(changes)
    }

    pub fn paths(&self) -> Vec<RepoPath> {
        self.leaves.keys().map(RepoPath::new).collect()
    }

    /// The submodules that differ; `None` if there are none.
    pub fn submodules(&self) -> Option<Vec<RepoPath>> {
        let is_submodule = |leaf: &Option<Leaf>| leaf.is_some_and(|leaf| leaf.kind == EntryKind::Commit);
        let differ = self.leaves.iter().filter(|(_, (old, new))| is_submodule(old) || is_submodule(new));
        let paths: Vec<RepoPath> = differ.map(|(path, _)| RepoPath::new(path)).collect();
        (!paths.is_empty()).then_some(paths)
    }
}

fn leaf(mode: EntryMode, id: ObjectId) -> Option<Leaf> {
    (!mode.is_tree()).then(|| Leaf { id, kind: mode.kind() })
}

fn changed_file(
    repo: &gix::Repository,
    path: &BString,
    old: Option<Leaf>,
    new: Option<Leaf>,
) -> Result<ChangedFile, CommitError> {
    let path = RepoPath::new(path);
    let old = text(repo, old)?;
    let new = text(repo, new)?;
    let (Some(old), Some(new)) = (old, new) else { return Ok(ChangedFile { path, added: 0, removed: 0 }) };
    let input = InternedInput::new(old.as_slice(), new.as_slice());
    let diff = Diff::compute(Algorithm::Myers, &input);
    Ok(ChangedFile { path, added: diff.count_additions().into(), removed: diff.count_removals().into() })
}

/// Bytes of a file that git examines for zero bytes.
const BINARY_PROBE: usize = 8_000;

/// The content of a file for counting its lines; `None` if it is binary. A submodule is one line, as in git.
fn text(repo: &gix::Repository, leaf: Option<Leaf>) -> Result<Option<Vec<u8>>, CommitError> {
    let Some(leaf) = leaf else { return Ok(Some(Vec::new())) };
    if leaf.kind == EntryKind::Commit {
        return Ok(Some(format!("Subproject commit {}\n", leaf.id).into_bytes()));
    }
    let mut blob = repo.find_blob(leaf.id).map_err(CommitError::git("read a file of a commit"))?;
    let data = blob.take_data();
    Ok(Some(data).filter(|data| !data.iter().take(BINARY_PROBE).any(|byte| *byte == 0)))
}

/// The entry of a tree at a path.
pub(super) fn entry_at(
    repo: &gix::Repository,
    tree: ObjectId,
    path: &BStr,
) -> Result<Option<(ObjectId, EntryMode)>, CommitError> {
    let fail = CommitError::git("read a tree");
    let entry = repo.find_tree(tree).map_err(&fail)?.lookup_entry(path.split(|b| *b == b'/')).map_err(fail)?;
    Ok(entry.map(|entry| (entry.object_id(), entry.mode())))
}
