//! Archives the workspace now, as a dream does when it is stale.

use super::write::{commit_note, write_files};
use crate::app::consolidation::state::archive_path;
use crate::app::consolidation::transaction::{Resumed, check_commit_possible, resume};
use crate::app::memory_files::{read_optional, refuse_links, staging_folders};
use crate::app::{Error, Progress, Workspace};
use crate::apply::Session;
use crate::apply::log_transaction::{FileChange, LogChanges, sweep};
use crate::canon::memory_file;
use crate::canon::timestamp::Timestamp;
pub use crate::git::commit::Committed;
use crate::git::commit::unoccupied;
use crate::memory::working_memory::is_used;
use crate::syntax::RepoPath;

/// How to archive.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    /// Do not commit the written files.
    pub no_commit: bool,
    /// The date of the archive; the current time by default.
    pub now: Option<Timestamp>,
}

/// What was archived.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The workspace.
    pub path: RepoPath,
    /// Whether it was in use.
    pub is_archived: bool,
    /// The archive; `None` if nothing was archived, or a snapshot has the same content.
    pub archive: Option<RepoPath>,
    /// The commit.
    pub commit: Option<Committed>,
}

/// Copies the workspace to the snapshots and resets it to its template.
///
/// # Errors
/// [`crate::app::ErrorKind::Unreadable`] if a file cannot be read or is a link; [`crate::app::ErrorKind::Refused`] if a commit
/// is not possible; [`crate::app::ErrorKind::Contention`] if another process holds the lock or changed the workspace.
pub fn run(workspace: &Workspace, request: &Request, progress: &dyn Progress) -> Result<Outcome, Error> {
    refuse_links(workspace)?;
    unoccupied(workspace.repo()?)?;
    if !request.no_commit {
        check_commit_possible(workspace, workspace.config.memory.branch.as_deref())?;
    }
    let session = Session::begin(&workspace.git_dir()?)?;
    let _: Resumed = resume(workspace, &session, request.no_commit, progress)?;
    sweep(&session, &workspace.view, &staging_folders(workspace));
    let path = workspace.layout.workspace();
    let now = request.now.unwrap_or_else(|| workspace.env.clock.now());
    let bytes = read_optional(workspace, &path)?.unwrap_or_default();
    if !is_used(&String::from_utf8_lossy(&bytes), memory_file::WORKSPACE) {
        return Ok(Outcome { path, is_archived: false, archive: None, commit: None });
    }
    let archive = archive_path(workspace, &path, &bytes, now)?;
    let mut files = Vec::new();
    if let Some(path) = archive.clone() {
        files.push(FileChange::Replace { path, before: None, now: &bytes });
    }
    let template = memory_file::WORKSPACE.as_bytes();
    files.push(FileChange::Replace { path: path.clone(), before: Some(&bytes), now: template });
    let mut changes = LogChanges { log: None, files, commit: None };
    if !request.no_commit {
        changes.commit = Some(commit_note(workspace, &changes, format!("workspace archived on {}\n", now.date()))?);
    }
    let commit = write_files(workspace, &session, changes, None)?;
    Ok(Outcome { path, is_archived: true, archive, commit })
}
