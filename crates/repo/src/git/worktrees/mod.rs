//! Work trees of attempts at the steps of a plan: each on a branch of its own, outside of the repository.
//!
//! Nothing that may be somebody's work is deleted: an attempt's work tree and branch are removed only once the tree is
//! clean and the branch is merged.

mod branch;
mod checkout;
mod common_dir;
mod create;
mod detached;
mod everybody;
mod made;
mod names;
mod populate;
mod registration;
mod remove;
mod size;
mod status;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};

use super::commit::index::HeldIndex;
use super::commit::own_locks::record_index_lock;
use super::commit::{CommitError, CommitRequest, CommitSelection, GitHooks, commit_holding, restage_holding};
use super::diff::is_ancestor;
use canonry_text::RepoPath;
pub use checkout::checkout_of;
pub use common_dir::common_dir;
pub use create::create;
pub use detached::{DetachedTree, checkout_detached, sweep};
pub use everybody::{everybody_has, has_other_trees};
pub use made::commits_made;
pub use names::AttemptName;
pub(super) use populate::exclude_sparse;
use registration::Registration;
pub use remove::{Removal, remove_if_merged};
pub use size::checkout_size;
pub use status::changed_paths;

/// The work tree of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptTree {
    pub folder: PathBuf,
    /// `canonry/<plan>/<step>.<attempt>`, see [`AttemptName::branch`].
    pub branch: String,
    /// The commit that the branch was created at.
    pub fork: ObjectId,
}

/// An attempt that has a branch, and perhaps a work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptBranch {
    pub step: String,
    pub attempt: u64,
    pub branch: String,
    pub tip: ObjectId,
    /// The attempt's work tree, if it exists.
    pub folder: Option<PathBuf>,
}

/// Why a work tree of an attempt cannot be used. Nothing was deleted.
#[derive(Debug, thiserror::Error)]
pub enum WorktreeError {
    #[error(
        "the branch `{branch}` exists at {tip} and contains other work; merge it, or delete it with `git branch -D`"
    )]
    BranchTaken { branch: String, tip: ObjectId },
    #[error("the branch `{branch}` is checked out at `{}`; have that work tree switch to another branch", at.display())]
    CheckedOut { branch: String, at: PathBuf },
    /// There are files at the place of the work tree.
    #[error("`{}` exists and is not the work tree of `{branch}`; move it away", folder.display())]
    FolderTaken { folder: PathBuf, branch: String },
    /// The work tree contains changes, although its attempt has not begun.
    #[error("the work tree `{}` contains changes{}; commit or remove them", folder.display(), listed(files))]
    Dirty { folder: PathBuf, files: Vec<RepoPath> },
    /// The work tree is on a commit that does not continue the branch of its attempt.
    #[error("the work tree `{}` is on a commit that does not continue the branch `{branch}`", folder.display())]
    OtherBranch { folder: PathBuf, branch: String },
    #[error("`{}` is not a work tree of this repository", folder.display())]
    NoWorktree { folder: PathBuf },
    #[error("the name of the plan or of the step is empty or too long for a file name: `{name}`")]
    Name { name: String },
    #[error("interrupted; run this again to finish")]
    Interrupted,
    #[error(transparent)]
    Git(#[from] CommitError),
}

fn listed(files: &[RepoPath]) -> String {
    match files {
        [] => String::new(),
        [file] => format!(" in {file}"),
        [file, rest @ ..] => format!(" in {file} and {} more", rest.len()),
    }
}

/// Moves the attempt's branch to the commit of its work tree, and the work tree to the branch.
fn return_to_branch(repo: &gix::Repository, linked: &gix::Repository, tree: &AttemptTree) -> Result<(), WorktreeError> {
    super::commit::unoccupied(linked)?;
    let other = || WorktreeError::OtherBranch { folder: tree.folder.clone(), branch: tree.branch.clone() };
    // An orphan branch without a commit.
    let head = linked.head_id().map_err(|_| other())?.detach();
    let tip = branch::tip_of(repo, &tree.branch)?.unwrap_or(tree.fork);
    if !is_ancestor(repo, tree.fork, head)? || !is_ancestor(repo, tip, head)? {
        return Err(other());
    }
    let full = branch::full_name(&tree.branch)?;
    branch::move_branch(repo, &full, tip, head)?;
    Ok(create::attach(linked, full, head)?)
}

/// The work tree of an attempt that was created in `folder`, whichever branch it is on now.
///
/// # Errors
/// The work trees cannot be read.
pub fn at(
    repo: &gix::Repository,
    folder: &Path,
    branch: &str,
    fork: ObjectId,
) -> Result<Option<AttemptTree>, CommitError> {
    let found = Registration::at(repo, folder)?.filter(|tree| tree.folder.is_dir());
    Ok(found.map(|tree| AttemptTree { folder: tree.folder, branch: branch.to_owned(), fork }))
}

/// All attempts of a plan that have a branch, sorted by step and number.
///
/// # Errors
/// The references or the work trees cannot be read.
pub fn list(repo: &gix::Repository, plan: &str) -> Result<Vec<AttemptBranch>, CommitError> {
    let fail = CommitError::git("list the branches of the plan");
    let Some(prefix) = AttemptName::branches_of(plan) else { return Ok(Vec::new()) };
    let registrations = Registration::all(repo)?;
    let mut attempts = Vec::new();
    let references = repo.references().map_err(&fail)?;
    for reference in references.prefixed(format!("refs/heads/{prefix}").as_str()).map_err(&fail)? {
        let mut reference = reference.map_err(&fail)?;
        let name = reference.name().as_bstr().to_str().ok().and_then(|name| name.strip_prefix("refs/heads/"));
        let Some(branch) = name.map(str::to_owned) else { continue };
        let Some(name) = AttemptName::from_branch(&branch) else { continue };
        let tip = reference.peel_to_id().map_err(&fail)?.detach();
        let tree = registrations.iter().find(|tree| tree.is_on(&branch) && tree.folder.is_dir());
        let folder = tree.map(|tree| tree.folder.clone());
        attempts.push(AttemptBranch { step: name.step, attempt: name.attempt, branch, tip, folder });
    }
    attempts.sort_by(|a, b| (&a.step, a.attempt).cmp(&(&b.step, b.attempt)));
    Ok(attempts)
}

/// Commits everything in the attempt's work tree that git does not ignore on the attempt's branch. `None` if there is
/// nothing to commit.
///
/// A worker may have switched to another branch or commit. If that continues the attempt's branch, the attempt's branch moves
/// there, and the work tree is on it again; the worker's branch stays.
///
/// # Errors
/// The work tree is on a commit that does not continue the attempt's branch, or see [`super::commit::commit`].
pub fn commit_all(
    repo: &gix::Repository,
    tree: &AttemptTree,
    message: &str,
    hooks: GitHooks,
) -> Result<Option<ObjectId>, WorktreeError> {
    let registration = Registration::at(repo, &tree.folder)?;
    let registration = registration.filter(|tree| tree.folder.is_dir());
    let registration = registration.ok_or_else(|| WorktreeError::NoWorktree { folder: tree.folder.clone() })?;
    if !registration.is_on(&tree.branch) {
        return_to_branch(repo, &registration.open(repo)?, tree)?;
    }
    let everything = [BString::from(":/")];
    let request = CommitRequest { selection: CommitSelection::Pathspecs(&everything), message, hooks };
    let linked = registration.open(repo)?;
    let index_lock = record_index_lock(&linked)?;
    let committed = commit_holding(&linked, &request, |linked| HeldIndex::acquire_recorded(linked, &index_lock))?;
    // A commit that was killed after the branch moved left the index behind.
    if committed.is_none() && !status::changed_paths(&linked)?.is_empty() {
        restage_holding(&linked, request.selection, |linked| HeldIndex::acquire_recorded(linked, &index_lock))?;
    }
    Ok(committed.map(|committed| committed.id))
}
