//! Removes the work tree and the branch of an attempt once its work is merged.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use gix::ObjectId;

use super::branch::{delete_branch, tip_of};
use super::names::PREFIX;
use super::registration::{INITIALIZING, Registration, exclusive};
use super::status::changed_paths;
use super::{AttemptName, AttemptTree, WorktreeError};
use crate::fs as writes;
use crate::git::commit::{CommitError, unoccupied};
use crate::git::diff::has_work;
use canonry_text::RepoPath;

/// The suffix of a folder whose removal has begun. No folder of an attempt ends like this, because it ends with a number.
const REMOVING: &str = ".removing";

/// The result of [`remove_if_merged`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Removal {
    /// Neither the branch nor the work tree exists any more.
    Removed,
    /// Both are unchanged.
    Kept(KeptReason),
}

/// Why a work tree and its branch are kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeptReason {
    /// The work tree has changes, or untracked files that git does not ignore.
    #[error(
        "{} in its work tree {} not committed",
        if files.len() == 1 { "1 file".to_owned() } else { format!("{} files", files.len()) },
        if files.len() == 1 { "is" } else { "are" }
    )]
    Dirty { files: Vec<RepoPath> },
    #[error("its commits are not merged")]
    NotMerged,
    /// The worker left the attempt's branch.
    #[error("its work tree is on another branch or commit")]
    OtherBranch,
    #[error("{operation} is in progress in its work tree")]
    InProgress { operation: &'static str },
    #[error("its work tree is locked{}", if reason.is_empty() { String::new() } else { format!(": {reason}") })]
    Locked { reason: String },
    #[error("its work tree contains the repository of a submodule")]
    Submodule,
    /// There is something else at its place.
    #[error("`{}` is not a work tree of this repository", folder.display())]
    NotAWorktree { folder: PathBuf },
}

/// Removes the work tree and the branch of an attempt if the tree is clean and `into` has the work of the branch: its commits, or,
/// after a squash or a rebase, all its changes. Ignored files do not keep a work tree: they are build output.
///
/// The folder is renamed before anything in it is removed, so that an interrupted removal is finished by the next call.
///
/// # Errors
/// The state cannot be read, or something cannot be removed.
pub fn remove_if_merged(repo: &gix::Repository, tree: &AttemptTree, into: ObjectId) -> Result<Removal, WorktreeError> {
    let _exclusive = exclusive(repo)?;
    if let Some(plan) = tree.folder.parent() {
        finish_removals(repo, plan, into)?;
    }
    if let Some(tip) = tip_of(repo, &tree.branch)?
        && !has_work(repo, into, tip)?
    {
        return Ok(Removal::Kept(KeptReason::NotMerged));
    }
    if let Some(reason) = reason_to_keep(repo, tree)? {
        return Ok(Removal::Kept(reason));
    }
    if tree.folder.is_dir() {
        writes::rename(&tree.folder, &removing(&tree.folder)).map_err(io(&tree.folder))?;
    }
    finish_removal(repo, &tree.folder, &tree.branch, into)?;
    // Other attempts of the plan may still be there.
    if let Some(plan) = tree.folder.parent() {
        let _ = writes::remove_dir(plan);
    }
    Ok(Removal::Removed)
}

/// Finishes the removals of a plan's work trees that were interrupted. The caller has the exclusive lock.
pub(super) fn finish_removals(repo: &gix::Repository, plan: &Path, into: ObjectId) -> Result<(), WorktreeError> {
    let Ok(entries) = std::fs::read_dir(plan) else { return Ok(()) };
    let plan_name = plan.file_name().and_then(OsStr::to_str).unwrap_or_default();
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().and_then(|name| name.strip_suffix(REMOVING)) else { continue };
        let branch = format!("{PREFIX}{plan_name}/{name}");
        if AttemptName::from_branch(&branch).is_some() {
            finish_removal(repo, &plan.join(name), &branch, into)?;
        }
    }
    Ok(())
}

/// Removes what is left of a work tree whose folder has been renamed. The branch is last, so that the attempt is listed
/// until nothing is left.
fn finish_removal(repo: &gix::Repository, folder: &Path, branch: &str, into: ObjectId) -> Result<(), WorktreeError> {
    if let Some(registration) = Registration::at(repo, folder)?
        && !folder.exists()
    {
        writes::remove_dir_all(&registration.git_dir).map_err(io(&registration.git_dir))?;
    }
    let removing = removing(folder);
    if removing.is_dir() {
        writes::remove_dir_all(&removing).map_err(io(&removing))?;
    }
    match tip_of(repo, branch)? {
        Some(tip) if !folder.exists() && has_work(repo, into, tip)? => Ok(delete_branch(repo, branch, tip)?),
        _ => Ok(()),
    }
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> CommitError {
    let path = path.to_owned();
    move |source| CommitError::File { path, source }
}

fn removing(folder: &Path) -> PathBuf {
    let mut name: OsString = folder.as_os_str().to_owned();
    name.push(REMOVING);
    name.into()
}

fn reason_to_keep(repo: &gix::Repository, tree: &AttemptTree) -> Result<Option<KeptReason>, WorktreeError> {
    let on_disk = std::fs::symlink_metadata(&tree.folder).is_ok();
    let Some(registration) = Registration::at(repo, &tree.folder)? else {
        return Ok(on_disk.then(|| KeptReason::NotAWorktree { folder: tree.folder.clone() }));
    };
    // Nobody has worked in a tree without its folder, or whose creation was interrupted.
    let is_unfinished = registration.is_unfinished();
    if let Some(reason) = registration.lock_reason()?.filter(|reason| !(is_unfinished && reason == INITIALIZING)) {
        return Ok(Some(KeptReason::Locked { reason }));
    }
    if !on_disk || is_unfinished {
        return Ok(None);
    }
    // A detached HEAD may be the only reference to commits.
    if !registration.is_on(&tree.branch) {
        return Ok(Some(KeptReason::OtherBranch));
    }
    let linked = registration.open(repo)?;
    match unoccupied(&linked) {
        Err(CommitError::InProgress { operation }) => return Ok(Some(KeptReason::InProgress { operation })),
        other => other?,
    }
    if has_submodule(&linked)? {
        return Ok(Some(KeptReason::Submodule));
    }
    let files = changed_paths(&linked)?;
    Ok((!files.is_empty()).then_some(KeptReason::Dirty { files }))
}

/// Whether the repository of a submodule is in the work tree or in its private git directory.
fn has_submodule(linked: &gix::Repository) -> Result<bool, CommitError> {
    if linked.git_dir().join("modules").is_dir() {
        return Ok(true);
    }
    let fail = CommitError::git("read the index of a work tree");
    let index = linked.index_or_empty().map_err(&fail)?;
    let Some(top) = linked.workdir() else { return Ok(false) };
    for entry in index.entries().iter().filter(|entry| entry.mode.is_submodule()) {
        let path = gix::path::from_bstr(entry.path(&index)).map_err(&fail)?;
        if top.join(path).join(".git").exists() {
            return Ok(true);
        }
    }
    Ok(false)
}
