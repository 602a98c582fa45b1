//! Carrying out what was prepared: the files, their commit, the rows that came late. Of a dream, and of one that is taken
//! back.

use crate::app::Error;
use crate::app::Workspace;
use crate::apply::Session;
use crate::apply::log_transaction::{LogTransaction, OldLog, PendingCommit};
use crate::canon::Layout;
use crate::cli::output::Out;
use crate::git::commit::{self, CommitRequest, Committed, Selection};
use crate::syntax::RepoPath;
use crate::view::IgnoreMode;
use gix::bstr::BString;

/// How it ended.
pub struct Carried {
    /// Files that someone has changed in the meantime, and that were left as they are.
    pub overtaken: Vec<RepoPath>,
    /// Whether the log had become another one, so that nothing more was done.
    pub abandoned: bool,
    /// The commit that was made.
    pub commit: Option<Committed>,
    /// The process that keeps the old log open for writing, and has for so long that nobody waits for it any more.
    pub held_by: Option<u32>,
}

impl Carried {
    /// What a person has to know of it.
    pub fn remarks(&self, log: &RepoPath) -> String {
        let changed = |path: &RepoPath| format!("{path} was changed while this ran, and was left as it is.\n");
        let mut text: String = self.overtaken.iter().map(changed).collect();
        if let Some(id) = self.held_by {
            text.push_str(&format!(
                "Process {id} keeps the former {log} open: what it writes from now on is in no file. Have it open the log anew.\n"
            ));
        }
        text
    }
}

/// How a note becomes a commit.
type Commit = fn(&Workspace, &PendingCommit) -> Result<Option<Committed>, Error>;

/// Puts all in place, commits it where that is due, and puts the journal away.
///
/// # Errors
/// See [`Error`]; then the next run goes on.
pub fn carry_out(context: &Workspace, mut transfer: LogTransaction<'_>, how: Commit) -> Result<Carried, Error> {
    let mut finished = transfer.finish()?;
    // Where nothing was moved, a commit would say what did not happen.
    let due = transfer.pending_commit().filter(|_| !finished.abandoned);
    let committed = due.map(|note| how(context, note)).transpose();
    // By now a writer that had opened the old log before has long written to it.
    let held_by = finished.old_log.as_mut().map_or(Ok(None), OldLog::drain)?;
    let commit = committed?.flatten();
    if let Some(made) = &commit {
        transfer.record_commit(made.id.to_string())?;
    }
    transfer.close()?;
    // Once more, as late as can be: whoever is slow between opening a file and writing to it has had this long.
    finished.old_log.as_mut().map_or(Ok(()), OldLog::drain_once)?;
    Ok(Carried { overtaken: finished.conflicts, abandoned: finished.abandoned, commit, held_by })
}

/// What a run that was killed had begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resumed {
    /// Nothing, or it is none any more.
    Nothing,
    /// A dream, which is done now.
    Dream,
    /// Taking a dream back, which is done now.
    Back,
}

/// Finishes what a run that was killed has begun: its files, its commit.
///
/// # Errors
/// See [`Error`].
pub fn resume(no_commit: bool, context: &Workspace, session: &Session, out: &Out<'_>) -> Result<Resumed, Error> {
    let Some(transfer) = LogTransaction::unfinished(session, &context.view)? else { return Ok(Resumed::Nothing) };
    let what = if transfer.is_undo() { Resumed::Back } else { Resumed::Dream };
    let note = transfer.pending_commit().cloned();
    let how: Commit = if no_commit { |_, _| Ok(None) } else { commit_late };
    let carried = carry_out(context, transfer, how)?;
    let whose = if what == Resumed::Back { "undo" } else { "dream" };
    if carried.abandoned {
        let why = "did not finish, and the log is another one by now: nothing more was moved";
        out.remark(&format!("An earlier {whose} {why}.\n"));
        return Ok(Resumed::Nothing);
    }
    if let (Some(note), Some(made)) = (note, carried.commit) {
        let id = made.id.to_hex_with_len(10);
        out.remark(&format!("Finished an earlier {whose} that was interrupted, as {id}: {}\n", note.message));
    }
    Ok(what)
}

/// Whether a commit could be made: on the branch that is named, else on the one that is checked out.
///
/// # Errors
/// See [`Error`].
pub fn ready(context: &Workspace, branch: Option<&str>) -> Result<(), Error> {
    match branch {
        Some(branch) => commit::ready_onto(context.repo()?, branch)?,
        None => commit::ready(context.repo()?)?,
    }
    Ok(())
}

/// The same note, for the branch of the memory where the config names one: then with all files that a dream reads or writes,
/// since the branch may be the only place where they are kept.
///
/// # Errors
/// The snapshots cannot be listed.
pub fn onto_branch(context: &Workspace, mut note: PendingCommit) -> Result<PendingCommit, Error> {
    let Some(branch) = &context.config.memory.branch else { return Ok(note) };
    let layout: &Layout = &context.layout;
    let read = [
        layout.lessons(),
        layout.retired_lessons(),
        layout.review(),
        layout.workspace(),
        layout.active_plan(),
        layout.quarantine(),
    ];
    let listed = context.view.list(&layout.snapshots(), IgnoreMode::Include)?;
    let snapshots = listed.files.iter().map(|file| &file.entry.path);
    for path in read.iter().chain(snapshots).map(RepoPath::to_display) {
        if !note.paths.contains(&path) {
            note.paths.push(path);
        }
    }
    note.branch = Some(branch.clone());
    Ok(note)
}

/// Commits as a note says.
///
/// # Errors
/// See [`Error`].
pub fn commit_note(context: &Workspace, note: &PendingCommit) -> Result<Option<Committed>, Error> {
    let paths = paths(context, note);
    let request = CommitRequest { selection: Selection::Literal(&paths), message: &note.message };
    Ok(match &note.branch {
        Some(branch) => commit::commit_onto(context.repo()?, branch, &request)?,
        None => commit::commit(context.repo()?, &request)?,
    })
}

/// The same, where a run may have been killed between the moment when HEAD was new and that when the index was.
fn commit_late(context: &Workspace, note: &PendingCommit) -> Result<Option<Committed>, Error> {
    let made = commit_note(context, note)?;
    let repo = context.repo()?;
    let is_here = |branch: &String| commit::is_checked_out(repo, branch);
    if made.is_none() && note.branch.as_ref().is_none_or(is_here) {
        commit::restage(context.repo()?, Selection::Literal(&paths(context, note)))?;
    }
    Ok(made)
}

/// From the top of the repository, where the canon may be that of a folder.
fn paths(context: &Workspace, note: &PendingCommit) -> Vec<BString> {
    let full = |path: &String| BString::from(context.view.full(&RepoPath::from(path.as_str())).as_bstr());
    note.paths.iter().map(full).collect()
}
