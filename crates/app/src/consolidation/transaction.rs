//! Executing a prepared log transaction: its files, its commit, and the rows that other processes logged meanwhile.

use crate::{Error, Progress, Workspace};
use canonry_repo::apply::Session;
use canonry_repo::apply::log_transaction::{LogTransaction, OldLog, PendingCommit};
use canonry_repo::git::commit::{self, CommitRequest, CommitSelection, Committed};
use canonry_repo::view::IgnoreMode;
use canonry_text::RepoPath;
use gix::bstr::BString;

/// The result of a transaction.
pub struct ExecutedTransaction {
    /// Files that changed meanwhile and were left alone.
    pub overtaken: Vec<RepoPath>,
    /// Whether the log was replaced meanwhile, so that nothing more was done.
    pub abandoned: bool,
    /// The commit.
    pub commit: Option<Committed>,
    /// A process that still has the old log open for writing. What it writes from now on is lost.
    pub stale_writer: Option<u32>,
}

/// Commits the files of a note.
type CommitFn = fn(&Workspace, &PendingCommit) -> Result<Option<Committed>, Error>;

/// Puts the files in place, commits them if the transaction says so, and removes the journal.
///
/// # Errors
/// Writing or committing failed; the next run continues the transaction.
pub fn execute(
    workspace: &Workspace,
    mut transaction: LogTransaction<'_>,
    commit: CommitFn,
) -> Result<ExecutedTransaction, Error> {
    let mut finished = transaction.finish()?;
    // An abandoned transaction has changed nothing that a commit could describe.
    let note = transaction.pending_commit().filter(|_| !finished.abandoned);
    let committed = note.map(|note| commit(workspace, note)).transpose();
    // A writer that had opened the old log has had the time of the commit to finish.
    let stale_writer = finished.old_log.as_mut().map_or(Ok(None), OldLog::drain)?;
    let commit = committed?.flatten();
    if let Some(made) = &commit {
        transaction.record_commit(made.id.to_string())?;
    }
    transaction.close()?;
    // Check once more, as late as possible, for writers that were slow between opening the file and writing.
    finished.old_log.as_mut().map_or(Ok(()), OldLog::drain_once)?;
    Ok(ExecutedTransaction { overtaken: finished.conflicts, abandoned: finished.abandoned, commit, stale_writer })
}

/// Outcome of an earlier, interrupted run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resumed {
    /// Nothing, or a transaction that had to be abandoned.
    Nothing,
    /// A dream or a review decision, which is now finished.
    Dream,
    /// An undo, which is now finished.
    Undo,
}

/// Finishes the transaction of an earlier run that was interrupted, and reports that as a notice.
///
/// # Errors
/// Writing or committing failed.
pub fn resume(
    workspace: &Workspace,
    session: &Session,
    no_commit: bool,
    progress: &dyn Progress,
) -> Result<Resumed, Error> {
    let Some(transaction) = LogTransaction::unfinished(session, &workspace.view)? else { return Ok(Resumed::Nothing) };
    let resumed = if transaction.is_undo() { Resumed::Undo } else { Resumed::Dream };
    let name = if resumed == Resumed::Undo { "undo" } else { "dream" };
    let note = transaction.pending_commit().cloned();
    let commit: CommitFn = if no_commit { |_, _| Ok(None) } else { commit_after_interruption };
    let outcome = execute(workspace, transaction, commit)?;
    if outcome.abandoned {
        progress.notice(&format!(
            "An earlier {name} did not finish, and the log was replaced since then; nothing more was moved.\n"
        ));
        return Ok(Resumed::Nothing);
    }
    if let (Some(note), Some(made)) = (note, outcome.commit) {
        let id = made.id.to_hex_with_len(10);
        let subject = note.message.lines().next().unwrap_or_default();
        progress.notice(&format!("Finished an earlier {name} that was interrupted, as {id}: {subject}\n"));
    }
    Ok(resumed)
}

/// Checks that a commit is possible: on the given branch, or on the current one.
///
/// # Errors
/// See [`commit::CommitError`].
pub fn check_commit_possible(workspace: &Workspace, branch: Option<&str>) -> Result<(), Error> {
    match branch {
        Some(branch) => commit::ready_onto(workspace.repo()?, branch)?,
        None => commit::ready(workspace.repo()?)?,
    }
    Ok(())
}

/// Redirects a commit to the memory's own branch, if one is configured. That branch may be the only place the memory is kept,
/// so the commit then has all files that a dream reads or writes.
///
/// # Errors
/// The snapshots cannot be listed.
pub fn redirect_to_branch(workspace: &Workspace, mut note: PendingCommit) -> Result<PendingCommit, Error> {
    let Some(branch) = &workspace.config.memory.branch else { return Ok(note) };
    let layout = &workspace.layout;
    let files = [
        layout.lessons(),
        layout.retired_lessons(),
        layout.review(),
        layout.workspace(),
        layout.active_plan(),
        layout.quarantine(),
    ];
    let listed = workspace.view.list(&layout.snapshots(), IgnoreMode::Include)?;
    let snapshots = listed.files.iter().map(|file| &file.entry.path);
    for path in files.iter().chain(snapshots).map(RepoPath::to_display) {
        if !note.paths.contains(&path) {
            note.paths.push(path);
        }
    }
    note.branch = Some(branch.clone());
    Ok(note)
}

/// Commits the files of a note; `None` if none of them differs from the commit before.
///
/// # Errors
/// See [`commit::CommitError`].
pub fn commit_files(workspace: &Workspace, note: &PendingCommit) -> Result<Option<Committed>, Error> {
    let paths = repository_paths(workspace, note);
    let request = CommitRequest {
        selection: CommitSelection::Literal(&paths),
        message: &note.message,
        hooks: workspace.env.git_hooks,
    };
    Ok(match &note.branch {
        Some(branch) => commit::commit_onto(workspace.repo()?, branch, &request)?,
        None => commit::commit(workspace.repo()?, &request)?,
    })
}

/// The same after an interruption, which may have happened after HEAD was updated and before the index was.
fn commit_after_interruption(workspace: &Workspace, note: &PendingCommit) -> Result<Option<Committed>, Error> {
    let made = commit_files(workspace, note)?;
    let repo = workspace.repo()?;
    let is_checked_out = |branch: &String| commit::is_checked_out(repo, branch);
    if made.is_none() && note.branch.as_ref().is_none_or(is_checked_out) {
        commit::restage(repo, CommitSelection::Literal(&repository_paths(workspace, note)))?;
    }
    Ok(made)
}

/// The paths of a note relative to the repository. Those of the note are relative to the view's base.
fn repository_paths(workspace: &Workspace, note: &PendingCommit) -> Vec<BString> {
    let full = |path: &String| BString::from(workspace.view.full(&RepoPath::from(path.as_str())).as_bstr());
    note.paths.iter().map(full).collect()
}
