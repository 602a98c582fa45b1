//! Writes and commits the files that a decision or a proposal changes.

use crate::consolidation::plan;
use crate::consolidation::transaction::{commit_files, execute, redirect_to_branch};
use crate::{Error, Workspace};
use canonry_repo::apply::Session;
use canonry_repo::apply::log_transaction::{LogChanges, LogTransaction, PendingCommit};
use canonry_repo::git::commit::Committed;
use canonry_text::RepoPath;
use std::collections::BTreeSet;

/// Puts the files in place, and commits them if the changes say so. `undo` is the first line of the commit message if
/// `memory undo` can undo the changes.
///
/// # Errors
/// [`crate::ErrorKind::Contention`] if a file changed meanwhile; writing or committing failed.
pub(super) fn write_files(
    workspace: &Workspace,
    session: &Session,
    changes: LogChanges<'_>,
    undo: Option<&str>,
) -> Result<Option<Committed>, Error> {
    let prepared = match undo {
        Some(message) => LogTransaction::prepare_decision(session, &workspace.view, changes, message.to_owned()),
        None => LogTransaction::prepare(session, &workspace.view, changes),
    };
    let outcome = execute(workspace, prepared?, commit_files)?;
    match outcome.overtaken.first() {
        None => Ok(outcome.commit),
        Some(path) => Err(Error::changed_meanwhile(path)),
    }
}

/// Commit of the changed files, without new rows of the log, which the next dream commits.
///
/// # Errors
/// The snapshots cannot be listed.
pub(super) fn commit_note(
    workspace: &Workspace,
    changes: &LogChanges<'_>,
    message: String,
) -> Result<PendingCommit, Error> {
    let mut note = plan::commit_note(changes, &workspace.layout, message);
    let log = workspace.layout.log().to_display();
    note.paths.retain(|path| *path != log);
    on_memory_branch(workspace, note)
}

fn on_memory_branch(workspace: &Workspace, note: PendingCommit) -> Result<PendingCommit, Error> {
    let mut note = redirect_to_branch(workspace, note)?;
    // The memory's own branch contains only the memory: everything else stays uncommitted.
    if note.branch.is_some() {
        let memory = workspace.layout.memory();
        note.paths.retain(|path| RepoPath::from(path.as_str()).is_within(&memory));
    }
    Ok(note)
}

/// Commits files that are written already.
///
/// # Errors
/// The snapshots cannot be listed, another process holds the lock, or the commit failed.
pub(super) fn commit_paths(
    workspace: &Workspace,
    paths: &BTreeSet<RepoPath>,
    message: String,
) -> Result<Option<Committed>, Error> {
    let _session = Session::begin(&workspace.git_dir()?)?;
    let paths = paths.iter().map(RepoPath::to_display).collect();
    let note = on_memory_branch(workspace, PendingCommit { message, paths, branch: None })?;
    commit_files(workspace, &note)
}
