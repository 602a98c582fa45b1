//! `--commit`: the commit after a sync, which has the mirrors of its own canon.
//!
//! Before HEAD moves, the tree of the commit is checked as `check --rev` would check it. A save since the sync, or a hook
//! that changed the canon, leaves drift in it: then the sync is repeated, and the commit made anew.

use crate::sync::commit_paths::CommitPaths;
use crate::sync::drift::find_drift;
use crate::sync::request::SyncCommitRequest;
use crate::{Error, ErrorKind, Workspace};
use canonry_repo::git::commit::{self as git_commit, CommitSelection, Committed, PreparedCommit};
use canonry_text::RepoPath;
use gix::bstr::BString;
use std::collections::BTreeSet;

/// The message of a commit that gives none.
const DEFAULT_MESSAGE: &str = "Sync skills to their mirrors";

/// The result of one attempt to commit.
pub enum CommitAttempt {
    /// The commit is made, or there was nothing to commit.
    Done {
        commit: Option<Committed>,
        /// Drift in HEAD that the sync left alone for a reason that it reports.
        drift: BTreeSet<RepoPath>,
    },
    /// The commit would have mirrors that differ from its canon. Nothing was committed.
    Behind(Drift),
}

/// Unexpected drift in the tree of a commit.
#[derive(PartialEq, Eq)]
pub struct Drift {
    paths: BTreeSet<RepoPath>,
    is_by_hook: bool,
}

/// Commits the paths, if the result has the mirrors of its own canon.
///
/// # Errors
/// The commit failed; see [`git_commit::commit`].
pub fn try_commit(
    paths: &CommitPaths,
    workspace: &Workspace,
    request: &SyncCommitRequest,
) -> Result<CommitAttempt, Error> {
    let literal: Vec<BString> = paths.paths.iter().map(|path| path.as_bstr().to_owned()).collect();
    let message = request.message.as_deref().unwrap_or(DEFAULT_MESSAGE);
    // Takes the index's lock only if there are paths, or if the message must be refused.
    if literal.is_empty() && !message.trim().is_empty() {
        return Ok(CommitAttempt::Done { commit: None, drift: BTreeSet::new() });
    }
    let repo = workspace.repo()?;
    let hooks = workspace.env.git_hooks;
    let commit = git_commit::CommitRequest { selection: CommitSelection::Literal(&literal), message, hooks };
    let prepared = git_commit::prepare(repo, &commit)?;
    let tree = match &prepared {
        Some(prepared) => prepared.tree(),
        None => repo.head_tree_id_or_empty().map_err(|error| internal(&error))?.detach(),
    };
    let drift = find_drift(&workspace.env, &paths.bases, tree)?;
    let unexpected = unexpected(&drift, paths, workspace)?;
    if unexpected.is_empty() {
        let commit = prepared.map(PreparedCommit::finish).transpose()?;
        return Ok(CommitAttempt::Done { commit, drift });
    }
    let is_by_hook = prepared.is_some_and(|prepared| !prepared.changed_by_hook().is_empty());
    Ok(CommitAttempt::Behind(Drift { paths: unexpected, is_by_hook }))
}

/// Drift for which the sync gave no reason. It does not write what it refuses, and git does not have what it ignores.
fn unexpected(
    drift: &BTreeSet<RepoPath>,
    paths: &CommitPaths,
    workspace: &Workspace,
) -> Result<BTreeSet<RepoPath>, Error> {
    let view = &workspace.view;
    let is_expected =
        |path: &RepoPath| paths.left_out.contains(path) || paths.refused.iter().any(|refused| path.is_within(refused));
    let left: Vec<RepoPath> = drift.iter().filter(|path| !is_expected(path)).cloned().collect();
    let inside: Vec<RepoPath> = left.iter().filter_map(|path| path.below(view.base())).map(RepoPath::new).collect();
    let ignored = if inside.is_empty() { BTreeSet::new() } else { view.ignored(&inside)? };
    let ignored: BTreeSet<RepoPath> = ignored.iter().map(|path| view.full(path)).collect();
    Ok(left.into_iter().filter(|path| !ignored.contains(path)).collect())
}

impl Drift {
    /// The error of a commit that repeated syncs did not put in order.
    pub fn error(&self) -> Error {
        let first = self.paths.first().map(RepoPath::to_display).unwrap_or_default();
        let others = match self.paths.len() {
            0 | 1 => String::new(),
            2 => " and 1 more file".to_owned(),
            count => format!(" and {} more files", count - 1),
        };
        let by = if self.is_by_hook { ", because git's hook `pre-commit` changes them or their canon" } else { "" };
        let message = format!(
            "nothing was committed: the commit would have mirrors that differ from its canon{by}: `{first}`{others}"
        );
        Error::new(ErrorKind::Refused, message).help(if self.is_by_hook {
            "let the hook leave the mirrors out, run `canonry sync`, then `canonry sync --commit` again"
        } else {
            "look for canon files whose changes git does not commit: `git ls-files -v agent | grep '^[a-zS]'` lists those \
             that are marked skip-worktree or assume-unchanged, `canonry.local.yaml` is never committed"
        })
    }
}

fn internal(error: &gix::Error) -> Error {
    Error::new(ErrorKind::Internal, format!("HEAD cannot be read: {error}"))
}
