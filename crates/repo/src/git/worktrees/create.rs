//! Creates the branch and the work tree of an attempt.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use gix::ObjectId;
use gix::refs::transaction::{LogChange, PreviousValue, RefEdit, RefLog};
use gix::refs::{FullName, Target};
use gix::worktree::add::Head;

use super::branch::{create_branch, full_name};
use super::checkout;
use super::populate::populate;
use super::registration::{Registration, drop_half_registered, exclusive};
use super::remove::finish_removals;
use super::status::changed_paths;
use super::{AttemptName, AttemptTree, WorktreeError};
use crate::fs as writes;
use crate::git::commit::CommitError;

/// Creates the branch of an attempt at `tip`, and a work tree below `folder` that is on it.
///
/// If both exist, the branch is still at `tip` and the tree is clean, they are reused; what an interrupted run of this
/// left is finished. Anything else that is in the way is an error, and stays as it is.
///
/// # Errors
/// See [`WorktreeError`].
pub fn create(
    repo: &gix::Repository,
    folder: &Path,
    name: &AttemptName,
    tip: ObjectId,
    cancel: &AtomicBool,
) -> Result<AttemptTree, WorktreeError> {
    let invalid = || WorktreeError::Name { name: format!("{}/{}", name.plan, name.step) };
    let branch = name.branch().ok_or_else(invalid)?;
    let folder = name.folder(folder).ok_or_else(invalid)?;
    let full = full_name(&branch)?;
    let registration = {
        let _exclusive = exclusive(repo)?;
        if let Some(plan) = folder.parent() {
            finish_removals(repo, plan, tip)?;
        }
        drop_half_registered(repo, &folder)?;
        let found = Registration::at(repo, &folder)?;
        check_folder(&folder, &branch, found.as_ref())?;
        check_other_trees(repo, &folder, &branch)?;
        create_branch(repo, &branch, &full, tip)?;
        match found {
            Some(found) => found,
            None => register(repo, &folder, tip, cancel)?,
        }
    };
    if let Some(checkout) = repo.workdir() {
        let io = |source| CommitError::File { path: registration.git_dir.clone(), source };
        checkout::record(&registration.git_dir, checkout).map_err(io)?;
    }
    let tree = AttemptTree { folder: registration.folder.clone(), branch, fork: tip };
    let linked = registration.open(repo)?;
    if registration.is_unfinished() {
        attach(&linked, full, tip)?;
        populate(&linked, &tree.folder, tip, None, cancel)?;
        return Ok(tree);
    }
    if !registration.is_on(&tree.branch) {
        return Err(WorktreeError::OtherBranch { folder: tree.folder, branch: tree.branch });
    }
    let files = changed_paths(&linked)?;
    if files.is_empty() { Ok(tree) } else { Err(WorktreeError::Dirty { folder: tree.folder, files }) }
}

/// The folder must be free, or be the registered work tree.
fn check_folder(folder: &Path, branch: &str, found: Option<&Registration>) -> Result<(), WorktreeError> {
    let io = |source| CommitError::File { path: folder.to_owned(), source };
    let taken = || WorktreeError::FolderTaken { folder: folder.to_owned(), branch: branch.to_owned() };
    match std::fs::symlink_metadata(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => match found {
            // git still knows a work tree whose folder is gone. It may be on a disk that is not mounted.
            Some(_) => Err(taken()),
            None => Ok(()),
        },
        Err(error) => Err(io(error).into()),
        Ok(disk) if !disk.is_dir() => Err(taken()),
        Ok(_) if found.is_some() => Ok(()),
        Ok(_) => match std::fs::read_dir(folder).map_err(io)?.next() {
            None => Ok(()),
            Some(_) => Err(taken()),
        },
    }
}

/// No other work tree may be on the branch.
fn check_other_trees(repo: &gix::Repository, folder: &Path, branch: &str) -> Result<(), WorktreeError> {
    let own = super::registration::real(folder);
    let main = repo.main_repo().map_err(CommitError::git("open the main work tree"))?;
    let main = main.workdir().filter(|_| crate::git::commit::is_checked_out(&main, branch)).map(Path::to_owned);
    let linked = Registration::all(repo)?.into_iter();
    let linked = linked.filter(|tree| tree.is_on(branch) && super::registration::real(&tree.folder) != own);
    match main.into_iter().chain(linked.map(|tree| tree.folder)).next() {
        Some(at) => Err(WorktreeError::CheckedOut { branch: branch.to_owned(), at }),
        None => Ok(()),
    }
}

/// Adds a work tree with a detached HEAD and without files. A branch would make gix read all other work trees, and fail if
/// one of them is broken.
pub(super) fn register(
    repo: &gix::Repository,
    folder: &Path,
    commit: ObjectId,
    cancel: &AtomicBool,
) -> Result<Registration, WorktreeError> {
    let fail = CommitError::git("add a work tree");
    if let Some(parent) = folder.parent() {
        writes::create_dir_all(parent).map_err(|source| CommitError::File { path: parent.to_owned(), source })?;
    }
    writes::failpoint::reach("worktree").map_err(CommitError::git_io("add a work tree"))?;
    let prepared = repo.prepare_add_worktree(folder, Head::Detached(commit), cancel);
    if cancel.load(Ordering::Relaxed) {
        return Err(WorktreeError::Interrupted);
    }
    prepared.and_then(gix::worktree::add::PrepareCheckout::persist).map_err(&fail)?;
    let missing = || WorktreeError::NoWorktree { folder: folder.to_owned() };
    Registration::at(repo, folder)?.ok_or_else(missing)
}

/// Switches a work tree that is at `tip` already to its branch.
pub(super) fn attach(linked: &gix::Repository, full: FullName, tip: ObjectId) -> Result<(), CommitError> {
    let message = format!("checkout: moving from {tip} to {}", full.shorten());
    set_head(linked, Target::Symbolic(full), message)
}

/// Makes the HEAD of a work tree refer to a branch or a commit.
pub(super) fn set_head(linked: &gix::Repository, new: Target, message: String) -> Result<(), CommitError> {
    let fail = CommitError::git("switch a work tree to its branch");
    let head = FullName::try_from("HEAD").map_err(|error| fail(gix::Error::from_error(error)))?;
    let log = LogChange { mode: RefLog::AndReference, force_create_reflog: false, message: message.into() };
    let change = gix::refs::transaction::Change::Update { log, expected: PreviousValue::Any, new };
    writes::failpoint::reach("reference").map_err(CommitError::git_io("switch a work tree to its branch"))?;
    linked.edit_reference(RefEdit { change, name: head, deref: false }).map(|_| ()).map_err(fail)
}
