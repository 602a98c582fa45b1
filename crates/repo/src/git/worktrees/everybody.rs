//! The work trees of a clone in which somebody works: all but those of attempts and verifications.

use super::checkout::checkout_of;
use super::detached::is_temporary;
use super::registration::Registration;
use crate::git::commit::CommitError;
use crate::git::diff::is_ancestor;
use gix::ObjectId;

/// Whether the clone has more than one such work tree.
///
/// # Errors
/// The work trees cannot be read.
pub fn has_other_trees(repo: &gix::Repository) -> Result<bool, CommitError> {
    Ok(!linked(repo)?.is_empty())
}

/// Whether nobody lacks a commit: the branch of the remote has it, as far as this clone knows, or, without a remote, each work
/// tree of the clone has it.
///
/// # Errors
/// The work trees or their commits cannot be read.
pub fn everybody_has(repo: &gix::Repository, commit: ObjectId, remote: Option<&str>) -> Result<bool, CommitError> {
    let fail = CommitError::git("read a branch");
    if let Some(remote) = remote {
        let Some(branch) = repo.head_name().map_err(&fail)? else { return Ok(false) };
        let tracking = format!("refs/remotes/{remote}/{}", branch.shorten());
        let Some(mut found) = repo.try_find_reference(tracking.as_str()).map_err(&fail)? else { return Ok(false) };
        let tip = found.peel_to_id().map_err(fail)?.detach();
        return is_ancestor(repo, commit, tip);
    }
    let main = repo.main_repo().map_err(CommitError::git("open the main work tree"))?;
    let mut trees = vec![main];
    for tree in linked(repo)? {
        trees.push(tree.open(repo)?);
    }
    for tree in trees.iter().filter(|tree| tree.workdir().is_some()) {
        // A branch without a commit has nothing.
        let Ok(head) = tree.head_id() else { return Ok(false) };
        if !is_ancestor(repo, commit, head.detach())? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn linked(repo: &gix::Repository) -> Result<Vec<Registration>, CommitError> {
    // Nobody works in a tree whose creation was interrupted.
    let all = Registration::all(repo)?.into_iter().filter(|tree| tree.folder.is_dir() && !tree.is_unfinished());
    Ok(all.filter(|tree| checkout_of(&tree.git_dir).is_none() && !is_temporary(&tree.git_dir)).collect())
}
