//! Undoes merged work by a new commit. The history stays.

use super::merge::unresolved_paths;
use super::{Integrated, MergeRequest, head, integrate};
use crate::fs::failpoint;
use crate::git::commit::CommitError;
use crate::git::commit::preflight::people;
use crate::git::commit::record::CommitDraft;
use crate::git::commit::request::clean_message;
use crate::git::diff::tree_of;
use gix::ObjectId;
use gix::bstr::BStr;
use gix::merge::blob::builtin_driver::text::Labels;

/// Takes the changes from `base` to `tip` back on the branch that is checked out: a three-way merge as in `git revert`,
/// committed on top, with index and work tree brought along as by [`integrate`]. [`Integrated::UpToDate`] if nothing of them
/// is left.
///
/// # Errors
/// See [`integrate`].
pub fn revert(repo: &gix::Repository, base: ObjectId, tip: ObjectId, message: &str) -> Result<Integrated, CommitError> {
    let fail = CommitError::git("revert a commit");
    super::finish_interrupted(repo)?;
    let head = head(repo)?;
    let ancestor = tree_of(repo, tip)?;
    let ours = tree_of(repo, head)?;
    let theirs = tree_of(repo, base)?;
    let labels = Labels { ancestor: None, current: Some(BStr::new("HEAD")), other: Some(BStr::new("before")) };
    let options = repo.tree_merge_options().map_err(&fail)?;
    failpoint::reach("object").map_err(CommitError::git_io("revert a commit"))?;
    let mut outcome = repo.merge_trees(ancestor, ours, theirs, labels, options).map_err(&fail)?;
    let paths = unresolved_paths(&outcome.conflicts);
    if !paths.is_empty() {
        return Ok(Integrated::Conflict { paths });
    }
    let tree = outcome.tree.write().map_err(fail)?.detach();
    if tree == ours {
        return Ok(Integrated::UpToDate);
    }
    let people = people(repo)?;
    let message = clean_message(message);
    let draft = CommitDraft { tree, parents: vec![head], people: &people, message: &message };
    let commit = draft.write(repo)?;
    let request = MergeRequest { tip: commit, message: "", onto: None, resolved: None };
    integrate(repo, &request)
}
