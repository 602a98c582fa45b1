//! Undoes the last dream of this clone, or the last lesson that became a rule.

use crate::consolidation::run_log;
use crate::consolidation::state::is_unchanged_since;
use crate::consolidation::transaction::{Resumed, check_commit_possible, commit_files, execute, resume};
use crate::memory_files::{refuse_links, staging_folders};
use crate::{Error, ErrorKind, Progress, Workspace};
use canonry_memory::nights::UNDO_RUN;
use canonry_repo::apply::Session;
use canonry_repo::apply::log_transaction::{DreamRecord, LogTransaction, PendingCommit, UndoError, UndoneFile, sweep};
pub use canonry_repo::git::commit::Committed;
use canonry_repo::git::commit::unoccupied;
use canonry_repo::git::history::UNDO;
use canonry_text::RepoPath;

/// Options of an undo.
#[derive(Clone, Copy, Debug, Default)]
pub struct UndoRequest {
    /// Only report what would change; write nothing.
    pub dry_run: bool,
    /// Do not commit the written files.
    pub no_commit: bool,
}

/// Result of an undo.
pub enum UndoOutcome {
    /// A dry run.
    Preview {
        /// The commit message.
        message: String,
        /// The files that would change.
        files: Vec<UndoneFile>,
    },
    /// The dream was undone.
    Undone(Undone),
    /// An earlier undo that had been interrupted is now finished. Nothing else was undone.
    Resumed,
}

/// An undone dream.
pub struct Undone {
    /// The commit message.
    pub message: String,
    /// The files that changed.
    pub files: Vec<UndoneFile>,
    /// The files that changed meanwhile and were left alone.
    pub overtaken: Vec<RepoPath>,
    /// A process that still has the old log open for writing.
    pub stale_writer: Option<u32>,
    /// The commit.
    pub commit: Option<Committed>,
}

/// Undoes the last dream. Episodes logged since then, and edits elsewhere in the same files, are kept.
///
/// # Errors
/// [`ErrorKind::Refused`] if there is no dream to undo, what it wrote has changed, or a commit is not possible;
/// [`ErrorKind::Contention`] if another process holds the lock or replaced the log.
pub fn run(workspace: &Workspace, request: &UndoRequest, progress: &dyn Progress) -> Result<UndoOutcome, Error> {
    refuse_links(workspace)?;
    if request.dry_run {
        let record = last_dream(workspace)?;
        let files = record.preview(&workspace.view).map_err(undo_error)?;
        return Ok(UndoOutcome::Preview { message: message(&record), files });
    }
    let now = workspace.env.clock.now();
    let outcome = write(workspace, request, progress);
    let line = match &outcome {
        Ok(UndoOutcome::Undone(undone)) => run_log::success_line(&undone.message, true, undone.commit.as_ref()),
        Ok(_) => format!("{UNDO_RUN}that was interrupted is finished"),
        Err(error) => format!("{UNDO_RUN}{}", run_log::failure_line(error)),
    };
    run_log::append(workspace, now, &line, progress);
    outcome
}

fn write(workspace: &Workspace, request: &UndoRequest, progress: &dyn Progress) -> Result<UndoOutcome, Error> {
    unoccupied(workspace.repo()?)?;
    let session = Session::begin(&workspace.git_dir()?)?;
    if resume(workspace, &session, request.no_commit, progress)? == Resumed::Undo {
        return Ok(UndoOutcome::Resumed);
    }
    sweep(&session, &workspace.view, &staging_folders(workspace));
    let record = last_dream(workspace)?;
    let note = if request.no_commit { None } else { commit_note(workspace, &record)? };
    if let Some(note) = &note {
        check_commit_possible(workspace, note.branch.as_deref())?;
    }
    let (transaction, files) =
        LogTransaction::prepare_undo(&session, &workspace.view, &record, note).map_err(undo_error)?;
    let done = execute(workspace, transaction, commit_files)?;
    if done.abandoned {
        let log = workspace.layout.log();
        let message = format!("{log}: the log was replaced while this command ran; nothing was undone");
        return Err(
            Error::new(ErrorKind::Contention, message).help("find out which program writes it, then run this again")
        );
    }
    Ok(UndoOutcome::Undone(Undone {
        message: message(&record),
        files,
        overtaken: done.overtaken,
        stale_writer: done.stale_writer,
        commit: done.commit,
    }))
}

fn last_dream(workspace: &Workspace) -> Result<DreamRecord, Error> {
    DreamRecord::last(&workspace.git_dir()?)?.ok_or_else(|| {
        Error::new(ErrorKind::Refused, "there is no dream to undo: this clone has no record of one").help(
            "run `git log --oneline -- agent/memory` to find the dream. To undo one from another clone, or one before the \
             last, run `git revert`; this also reverts the log rows of that commit",
        )
    })
}

fn message(record: &DreamRecord) -> String {
    match record.message().strip_prefix("dream cycle: ") {
        // The prefix lets `git::history` skip the commit when it determines the age of a file.
        Some(dream) => format!("{UNDO}{dream}"),
        None => format!("undo: {}", record.message()),
    }
}

/// The commit of the undo; `None` if the dream was not committed and nobody has committed it since. Then the files are as they
/// were before it, committed or not.
fn commit_note(workspace: &Workspace, record: &DreamRecord) -> Result<Option<PendingCommit>, Error> {
    let configured = workspace.config.memory.branch.clone();
    let branch = record.branch().map(str::to_owned).or(configured);
    let rev = branch.as_ref().map_or_else(|| "HEAD".to_owned(), |branch| format!("refs/heads/{branch}"));
    let mut is_committed = record.commit().is_some();
    for path in record.paths() {
        is_committed = is_committed || is_unchanged_since(workspace, &rev, &path)?;
    }
    let memory = workspace.layout.memory();
    // The memory's own branch does not have the file of a rule.
    let is_committed_there = |path: &&RepoPath| branch.is_none() || path.is_within(&memory);
    let paths = record.paths();
    let paths = paths.iter().filter(is_committed_there).map(RepoPath::to_display).collect();
    Ok(is_committed.then(|| PendingCommit { message: message(record), paths, branch }))
}

fn undo_error(error: UndoError) -> Error {
    let message = error.to_string();
    match error {
        UndoError::Apply(error) => error.into(),
        UndoError::Changed { path } | UndoError::Missing { path } => {
            let help = format!(
                "nothing was undone; restore {path} as it was left, for example with `git restore`, then run this again"
            );
            Error::new(ErrorKind::Refused, message).help(help)
        }
    }
}
