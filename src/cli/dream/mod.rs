//! `canonry dream`

mod args;
mod candidates;
mod canon;
mod diary;
mod dreamt;
mod lines;
mod report;
mod survey;

use super::context::Context;
use super::env::{Env, Out};
use super::error::CliError;
use super::format::Format;
use super::status::Status;
use crate::apply::transfer::{Drain, Note, PrepareError, Transfer, sweep};
use crate::apply::{ApplyError, Session};
use crate::git::commit::{Committed, Request, Selection, commit, ready, restage, unoccupied};
use crate::memory::{Dialect, Night, Policy};
use crate::syntax::RepoPath;
use crate::view::Basis;
pub use args::Args;
pub(super) use dreamt::{Dreamt, note};
use gix::bstr::BString;
pub(super) use lines::line;
use std::sync::atomic::Ordering;

/// How often a log that changes under our hands is read again.
const ATTEMPTS: usize = 5;

/// Runs the command.
///
/// # Errors
/// See [`CliError`].
pub fn run(args: &Args, env: &Env, out: &mut Out<'_>) -> Result<Status, CliError> {
    let night_now = args.now()?;
    let context = Context::open(env, &Basis::WorkTree)?;
    context.require_canon()?;
    let policy = match args.dialect() {
        Dialect::Seed => Policy::seed(),
        Dialect::Repaired => Policy::of(&context.config.memory),
    };
    let night = Night { now: night_now, policy, dialect: args.dialect() };
    if args.dry_run {
        return look(args, &context, &night, out);
    }
    let ended = write(args, &context, &night, out);
    let said = match &ended {
        Ok(done) => diary::line_of(&done.dreamt.message(), !done.files.is_empty(), done.commit.as_ref()),
        Err(error) => diary::line_of_failure(error),
    };
    diary::append(&context, &night, &said, out);
    tell(args, &context, &ended?, out);
    Ok(Status::Done)
}

fn look(args: &Args, context: &Context<'_>, night: &Night, out: &mut Out<'_>) -> Result<Status, CliError> {
    let dreamt = dream(context, night)?;
    match args.format() {
        Format::Json => out.result(&report::to_json(&dreamt, None)),
        Format::Human => {
            out.result(&format!("{}\n", dreamt.message()));
            let files = dreamt.changes(&context.layout).map(|changes| report::files_of(&changes));
            out.result(&report::in_words(&files.unwrap_or_default(), &[]));
            out.remark(&report::bad_in_words(&dreamt, &context.layout.log()));
        }
    }
    Ok(Status::Done)
}

fn write(args: &Args, context: &Context<'_>, night: &Night, out: &mut Out<'_>) -> Result<Done, CliError> {
    // A log that is being merged is not one to take rows out of.
    unoccupied(&context.repo)?;
    if !args.no_commit {
        ready(&context.repo)?;
    }
    let session = Session::begin(&context.git_dir())?;
    finish_earlier(args.no_commit, context, &session, out)?;
    sweep(&session, &context.view, &folders(context));
    run_once(args, context, night, &session)
}

/// A dream that was carried out.
struct Done {
    dreamt: Dreamt,
    files: Vec<report::Changed>,
    overtaken: Vec<RepoPath>,
    commit: Option<Committed>,
}

fn run_once(args: &Args, context: &Context<'_>, night: &Night, session: &Session) -> Result<Done, CliError> {
    for _ in 0..ATTEMPTS {
        let dreamt = dream(context, night)?;
        if context.env.cancel.load(Ordering::Relaxed) {
            return Err(ApplyError::Interrupted.into());
        }
        let Some(mut changes) = dreamt.changes(&context.layout) else {
            return Ok(Done { dreamt, files: Vec::new(), overtaken: Vec::new(), commit: None });
        };
        let files = report::files_of(&changes);
        if !args.no_commit {
            changes.commit = Some(dreamt::note(&changes, &context.layout, dreamt.message()));
        }
        let mut transfer = match Transfer::prepare(session, &context.view, changes) {
            Ok(transfer) => transfer,
            Err(PrepareError::Changed) => continue,
            Err(PrepareError::Apply(error)) => return Err(error.into()),
        };
        let mut finished = transfer.finish()?;
        // Where nothing was moved, a commit would say what did not happen.
        let due = transfer.note().filter(|_| !finished.abandoned);
        let committed = due.map(|note| commit_note(context, note)).transpose();
        // By now a writer that had opened the old log before has long written to it.
        finished.drain.as_mut().map_or(Ok(()), Drain::again)?;
        let commit = committed?.flatten();
        transfer.close()?;
        if !finished.abandoned {
            return Ok(Done { dreamt, files, overtaken: finished.overtaken, commit });
        }
    }
    let message = format!("{}: the log is rewritten again and again by something else", context.layout.log());
    Err(CliError::new(Status::Contention, message).help("find out what writes it, and run this again"))
}

/// Finishes what a run that was killed has begun: its files, its commit.
pub(super) fn finish_earlier(
    no_commit: bool,
    context: &Context<'_>,
    session: &Session,
    out: &mut Out<'_>,
) -> Result<(), CliError> {
    let Some(mut transfer) = Transfer::unfinished(session, &context.view)? else { return Ok(()) };
    let mut finished = transfer.finish()?;
    if finished.abandoned {
        out.remark("An earlier dream did not finish, and the log is another one by now: nothing more was moved.\n");
    }
    let due = transfer.note().filter(|_| !no_commit && !finished.abandoned);
    let committed = due.map(|note| commit_late(context, note)).transpose();
    finished.drain.as_mut().map_or(Ok(()), Drain::again)?;
    let committed = committed?.flatten();
    if let (Some(note), Some(made)) = (transfer.note(), committed) {
        let id = made.id.to_hex_with_len(10);
        out.remark(&format!("Finished an earlier dream that was interrupted, as {id}: {}\n", note.message));
    }
    Ok(transfer.close()?)
}

/// Commits what a transfer wrote.
///
/// # Errors
/// See [`CliError`].
pub(super) fn commit_note(context: &Context<'_>, note: &Note) -> Result<Option<Committed>, CliError> {
    let paths: Vec<BString> = note.paths.iter().map(|path| BString::from(path.as_str())).collect();
    Ok(commit(&context.repo, &Request { selection: Selection::Literal(&paths), message: &note.message })?)
}

/// The same, where a run may have been killed between the moment when HEAD was new and that when the index was.
fn commit_late(context: &Context<'_>, note: &Note) -> Result<Option<Committed>, CliError> {
    let made = commit_note(context, note)?;
    if made.is_none() {
        let paths: Vec<BString> = note.paths.iter().map(|path| BString::from(path.as_str())).collect();
        restage(&context.repo, Selection::Literal(&paths))?;
    }
    Ok(made)
}

/// What a dream would be, looked at this moment.
///
/// # Errors
/// See [`CliError`].
pub(super) fn dream(context: &Context<'_>, night: &Night) -> Result<Dreamt, CliError> {
    let survey = survey::survey(context, night)?;
    Dreamt::of(survey, night.clone(), context)
}

/// Where drafts of new contents lie.
pub(super) fn folders(context: &Context<'_>) -> Vec<RepoPath> {
    let layout = &context.layout;
    let files = [layout.log(), layout.lessons(), layout.workspace(), layout.retired_lessons()];
    files.iter().filter_map(RepoPath::parent).chain([layout.snapshots()]).collect()
}

fn tell(args: &Args, context: &Context<'_>, done: &Done, out: &mut Out<'_>) {
    for path in &done.overtaken {
        out.remark(&format!("{path} was changed while this ran, and was left as it is.\n"));
    }
    if args.format() == Format::Json {
        return out.result(&report::to_json(&done.dreamt, done.commit.as_ref()));
    }
    out.result(&format!("{}\n", done.dreamt.message()));
    out.result(&report::in_words(&done.files, &done.overtaken));
    out.remark(&report::bad_in_words(&done.dreamt, &context.layout.log()));
    if !done.dreamt.staged.is_empty() {
        out.remark("`canonry memory review` shows what waits for a person.\n");
    }
    if let Some(made) = &done.commit {
        out.result(&format!("Committed as {}.\n", made.id.to_hex_with_len(10)));
    }
}
