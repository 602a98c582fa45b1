//! `canonry dream`

mod args;
mod candidates;
mod canon;
pub(super) mod carry;
pub(super) mod diary;
mod dreamt;
mod lines;
mod report;
mod survey;

use super::format::Format;
use super::output::Out;
use super::status::Status;
use crate::app::Environment;
use crate::app::Workspace;
use crate::app::{Error, ErrorKind};
use crate::apply::log_transaction::{LogTransaction, PrepareError, sweep};
use crate::apply::{ApplyError, Session};
use crate::git::commit::{Committed, unoccupied};
use crate::memory::{Night, Policy, Ruleset};
use crate::syntax::RepoPath;
use crate::view::Basis;
pub use args::Args;
use carry::{Resumed, carry_out, ready, resume};
pub(super) use dreamt::{DreamPlan, note};
pub(super) use lines::line;
use std::sync::atomic::Ordering;
pub(super) use survey::{bytes, is_as_in, lessons, no_links};

/// How often a log that changes under our hands is read again.
const ATTEMPTS: usize = 5;

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let night_now = args.now()?;
    let context = Workspace::open(env, &Basis::WorkTree)?;
    context.require_canon()?;
    let policy = match args.ruleset() {
        Ruleset::Seed => Policy::seed(),
        Ruleset::Current => Policy::of(&context.config.memory),
    };
    let night = Night { now: night_now, policy, ruleset: args.ruleset() };
    if args.dry_run {
        return look(args, &context, &night, out);
    }
    let ended = write(args, &context, &night, out);
    let said = match &ended {
        Ok(done) => diary::line_of(&done.dreamt.message(), !done.files.is_empty(), done.commit.as_ref()),
        Err(error) => diary::line_of_failure(error),
    };
    diary::append(&context, night.now, &said, out);
    tell(args, &context, &ended?, out);
    Ok(Status::Done)
}

fn look(args: &Args, context: &Workspace, night: &Night, out: &Out<'_>) -> Result<Status, Error> {
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

fn write(args: &Args, context: &Workspace, night: &Night, out: &Out<'_>) -> Result<Done, Error> {
    // A log that is being merged is not one to take rows out of.
    unoccupied(context.repo()?)?;
    if !args.no_commit {
        ready(context, context.config.memory.branch.as_deref())?;
    }
    let session = Session::begin(&context.git_dir()?)?;
    let _: Resumed = resume(args.no_commit, context, &session, out)?;
    sweep(&session, &context.view, &folders(context));
    run_once(args, context, night, &session)
}

/// A dream that was carried out.
struct Done {
    dreamt: DreamPlan,
    files: Vec<report::Changed>,
    overtaken: Vec<RepoPath>,
    remarks: String,
    commit: Option<Committed>,
}

fn run_once(args: &Args, context: &Workspace, night: &Night, session: &Session) -> Result<Done, Error> {
    for _ in 0..ATTEMPTS {
        let dreamt = dream(context, night)?;
        if context.env.cancel.load(Ordering::Relaxed) {
            return Err(ApplyError::Interrupted.into());
        }
        let Some(mut changes) = dreamt.changes(&context.layout) else {
            let (files, overtaken) = (Vec::new(), Vec::new());
            return Ok(Done { dreamt, files, overtaken, remarks: String::new(), commit: None });
        };
        let files = report::files_of(&changes);
        if !args.no_commit {
            let note = dreamt::note(&changes, &context.layout, dreamt.message());
            changes.commit = Some(carry::onto_branch(context, note)?);
        }
        let transfer = match LogTransaction::prepare_dream(session, &context.view, changes, dreamt.message()) {
            Ok(transfer) => transfer,
            Err(PrepareError::Changed) => continue,
            Err(PrepareError::Apply(error)) => return Err(error.into()),
        };
        let carried = carry_out(context, transfer, carry::commit_note)?;
        if !carried.abandoned {
            let remarks = carried.remarks(&context.layout.log());
            return Ok(Done { dreamt, files, overtaken: carried.overtaken, remarks, commit: carried.commit });
        }
    }
    let message = format!("{}: the log is rewritten again and again by something else", context.layout.log());
    Err(Error::new(ErrorKind::Contention, message).help("find out what writes it, and run this again"))
}

/// What a dream would be, looked at this moment.
///
/// # Errors
/// See [`Error`].
pub(super) fn dream(context: &Workspace, night: &Night) -> Result<DreamPlan, Error> {
    let survey = survey::survey(context, night)?;
    DreamPlan::build(survey, night.clone(), context)
}

/// Where drafts of new contents lie.
pub(super) fn folders(context: &Workspace) -> Vec<RepoPath> {
    let layout = &context.layout;
    let files = [layout.log(), layout.lessons(), layout.workspace(), layout.retired_lessons()];
    files.iter().filter_map(RepoPath::parent).chain([layout.snapshots()]).collect()
}

fn tell(args: &Args, context: &Workspace, done: &Done, out: &Out<'_>) {
    out.remark(&done.remarks);
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
