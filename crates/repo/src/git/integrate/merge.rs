//! Computes the tree of a merge and writes its commit.

use std::collections::BTreeSet;

use gix::ObjectId;
use gix::bstr::{BStr, BString};
use gix::merge::blob::builtin_driver::text::Labels;
use gix::merge::tree::TreatAsUnresolved;
use gix::objs::tree::EntryKind;

use super::MergeRequest;
use crate::fs::failpoint;
use crate::git::commit::CommitError;
use crate::git::commit::preflight::Signatures;
use crate::git::commit::record::CommitDraft;
use crate::git::commit::request::clean_message;
use crate::git::diff::{entry_at, is_ancestor, tree_of};
use canonry_text::RepoPath;

/// The result of merging two histories.
pub(super) enum MergeResult {
    /// The branch moves to the merged commit.
    FastForward,
    /// The tree of a merge commit.
    Tree(ObjectId),
    Conflict {
        paths: Vec<RepoPath>,
    },
}

/// Merges the requested commit into `head`. Writes only objects that nothing refers to.
pub(super) fn merge(
    repo: &gix::Repository,
    head: ObjectId,
    request: &MergeRequest<'_>,
) -> Result<MergeResult, CommitError> {
    let fail = CommitError::git("merge two commits");
    if is_ancestor(repo, head, request.tip)? {
        return Ok(MergeResult::FastForward);
    }
    let other = BString::from(request.tip.to_string());
    let labels = Labels { ancestor: None, current: Some(BStr::new("HEAD")), other: Some(other.as_ref()) };
    let options = repo.tree_merge_options().map_err(&fail)?;
    failpoint::reach("object").map_err(CommitError::git_io("merge two commits"))?;
    let mut outcome = repo.merge_commits(head, request.tip, labels, options.into()).map_err(&fail)?.tree_merge;
    let mut paths = unresolved_paths(&outcome.conflicts);
    paths.retain(|path| request.resolved.is_none_or(|(resolved, _)| path != resolved));
    if !paths.is_empty() {
        return Ok(MergeResult::Conflict { paths });
    }
    if let Some((path, content)) = request.resolved {
        let kind =
            entry_at(repo, tree_of(repo, head)?, path.as_bstr())?.map_or(EntryKind::Blob, |(_, mode)| mode.kind());
        let blob = repo.write_blob(content).map_err(&fail)?;
        outcome.tree.upsert(path.as_bstr(), kind, blob).map_err(&fail)?;
    }
    let tree = outcome.tree.write().map_err(fail)?;
    Ok(MergeResult::Tree(tree.detach()))
}

/// The paths that a merge cannot resolve, as git sees it.
pub(in crate::git) fn unresolved_paths(conflicts: &[gix::merge::tree::Conflict]) -> Vec<RepoPath> {
    let as_git = TreatAsUnresolved::git();
    let mut paths = BTreeSet::new();
    for conflict in conflicts.iter().filter(|conflict| conflict.is_unresolved(as_git)) {
        paths.extend([conflict.ours.location(), conflict.theirs.location()].map(RepoPath::new));
    }
    paths.into_iter().collect()
}

/// The commit that the branch moves to: the merged one, or a new merge commit.
pub(super) fn commit(
    repo: &gix::Repository,
    people: &Signatures<'_>,
    head: ObjectId,
    tree: ObjectId,
    request: &MergeRequest<'_>,
) -> Result<ObjectId, CommitError> {
    if is_ancestor(repo, head, request.tip)? {
        return Ok(request.tip);
    }
    let message = clean_message(request.message);
    if message.is_empty() {
        return Err(CommitError::EmptyMessage);
    }
    CommitDraft { tree, parents: vec![head, request.tip], people, message: &message }.write(repo)
}
