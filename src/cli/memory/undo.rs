//! `canonry memory undo`

use crate::app::Environment;
use crate::app::Workspace;
use crate::app::{Error, ErrorKind};
use crate::apply::Session;
use crate::apply::log_transaction::{DreamRecord, LogTransaction, PendingCommit, UndoError, UndoneFile, sweep};
use crate::cli::dream::carry::{Carried, Resumed, carry_out, commit_note, ready, resume};
use crate::cli::dream::{diary, folders, is_as_in, no_links};
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::cli::when;
use crate::git::commit::unoccupied;
use crate::git::history::UNDO;
use crate::render::{counted, diff};
use crate::syntax::RepoPath;
use crate::view::Basis;
use std::fmt::Write as _;

/// The arguments of `canonry memory undo`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Episodes logged since the dream stay, and so do edits in other parts of the same files. If anything that the dream wrote was changed since, undo does nothing (status 5).\n\nTo undo a dream that ran in another clone, run `git revert`; this also reverts the log rows of that commit."
)]
pub struct Args {
    /// Write nothing; list the restored rows, and print the changes of lessons and working files
    #[arg(long)]
    dry_run: bool,
    /// Do not commit the written files
    #[arg(long)]
    no_commit: bool,
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let now = when::now(None)?;
    let context = Workspace::open(env, &Basis::WorkTree)?;
    context.require_canon()?;
    no_links(&context)?;
    if args.dry_run {
        return look(&context, out);
    }
    let ended = write(args, &context, out);
    let said = match &ended {
        Ok(Some(done)) => diary::line_of(&done.message, true, done.carried.commit.as_ref()),
        Ok(None) => "an undo that was interrupted is finished".to_owned(),
        Err(error) => diary::line_of_failure(error),
    };
    diary::append(&context, now, &said, out);
    match ended? {
        Some(done) => tell(&done, &context.layout.log(), out),
        None => out.result("The undo that was interrupted is finished.\n"),
    }
    Ok(Status::Done)
}

/// A dream that was taken back.
struct Done {
    message: String,
    returned: Vec<UndoneFile>,
    carried: Carried,
}

fn look(context: &Workspace, out: &Out<'_>) -> Result<Status, Error> {
    let record = record(context)?;
    let returned = record.preview(&context.view).map_err(refused)?;
    out.result(&format!("{}\n{}", message(&record), in_words(&returned, &[])));
    for UndoneFile { path, contents, .. } in &returned {
        if let Some((now, then)) = contents {
            let shown = context.view.full(path).to_display();
            out.result(&diff::unified(&shown, Some(now), then.as_deref()));
        }
    }
    Ok(Status::Done)
}

/// `None` where nothing was to be done but to finish an undo that was interrupted.
fn write(args: &Args, context: &Workspace, out: &Out<'_>) -> Result<Option<Done>, Error> {
    unoccupied(context.repo()?)?;
    let session = Session::begin(&context.git_dir()?)?;
    if resume(args.no_commit, context, &session, out)? == Resumed::Back {
        return Ok(None);
    }
    sweep(&session, &context.view, &folders(context));
    let record = record(context)?;
    let note = if args.no_commit { None } else { note(context, &record)? };
    if let Some(note) = &note {
        ready(context, note.branch.as_deref())?;
    }
    let (transfer, returned) = LogTransaction::prepare_undo(&session, &context.view, &record, note).map_err(refused)?;
    let carried = carry_out(context, transfer, commit_note)?;
    if carried.abandoned {
        let message = format!("{}: the log was replaced while this ran; nothing was taken back", context.layout.log());
        return Err(Error::new(ErrorKind::Contention, message).help("find out what writes it, and run this again"));
    }
    Ok(Some(Done { message: message(&record), returned, carried }))
}

fn record(context: &Workspace) -> Result<DreamRecord, Error> {
    DreamRecord::last(&context.git_dir()?)?.ok_or_else(|| {
        Error::new(ErrorKind::Refused, "there is no dream to take back: this clone has no record of one".to_owned())
            .help("`git log --oneline -- agent/memory` names the dreams; one that was made elsewhere, or before the last one, is taken back with `git revert`, which takes back the rows too that were committed with it")
    })
}

fn message(record: &DreamRecord) -> String {
    // By which the age of what comes back is found: see there.
    format!("{UNDO}{}", record.message().trim_start_matches("dream cycle: "))
}

/// `None` where the dream was left uncommitted, and no one has committed it since: then the files are as they were before,
/// and what was not committed then is not committed now.
fn note(context: &Workspace, record: &DreamRecord) -> Result<Option<PendingCommit>, Error> {
    let configured = context.config.memory.branch.clone();
    let branch = record.branch().map(str::to_owned).or(configured);
    let rev = branch.as_ref().map_or_else(|| "HEAD".to_owned(), |branch| format!("refs/heads/{branch}"));
    let mut due = record.commit().is_some();
    for path in record.paths() {
        due = due || is_as_in(context, &rev, &path)?;
    }
    let paths = record.paths().iter().map(RepoPath::to_display).collect();
    Ok(due.then(|| PendingCommit { message: message(record), paths, branch }))
}

fn refused(error: UndoError) -> Error {
    let said = error.to_string();
    match error {
        UndoError::Apply(error) => error.into(),
        UndoError::Changed { path } | UndoError::Missing { path } => {
            let help = format!(
                "put {path} back as the dream left it, as with `git restore`, and run this again; nothing was done"
            );
            Error::new(ErrorKind::Refused, said).help(help)
        }
    }
}

fn tell(done: &Done, log: &RepoPath, out: &Out<'_>) {
    out.remark(&done.carried.remarks(log));
    out.result(&format!("{}\n{}", done.message, in_words(&done.returned, &done.carried.overtaken)));
    if let Some(made) = &done.carried.commit {
        out.result(&format!("Committed as {}.\n", made.id.to_hex_with_len(10)));
    }
}

fn in_words(returned: &[UndoneFile], overtaken: &[RepoPath]) -> String {
    let mut text = String::new();
    for UndoneFile { path, action, rows, .. } in returned.iter().filter(|file| !overtaken.contains(&file.path)) {
        let rows = rows.map(|rows| format!(" ({})", counted(rows, "row"))).unwrap_or_default();
        let _ = writeln!(text, "{action:<12}{path}{rows}");
    }
    text
}
