//! `canonry sync`

pub(super) mod adopt;
mod apply;
mod args;
mod commit;
mod debounce;
pub(super) mod diffs;
mod look;
mod others;
mod report;
pub(super) mod seen;
mod staged;
pub(super) mod taken_back;
mod watch;

use super::context::Context;
use super::env::{Env, Out};
use super::error::CliError;
use super::format::Format;
use super::status::Status;
use crate::apply::{Session, unfinished};
use crate::view::Basis;
pub use args::Args;
use report::Outcome;
use seen::see;

/// Runs the command.
///
/// # Errors
/// See [`CliError`].
pub fn run(args: &Args, env: &Env, out: &mut Out<'_>) -> Result<Status, CliError> {
    if args.watch {
        return watch::run(env, out);
    }
    if args.staged {
        return staged::run(args, env, out);
    }
    let context = Context::open(env, &Basis::WorkTree)?;
    // What is adopted may be the canon's first skill.
    if args.adopt.is_none() {
        context.require_canon()?;
    }
    if args.adopt.as_ref().is_some_and(Vec::is_empty) && !args.all {
        return Err(CliError::new(Status::Usage, "`--adopt` needs a path")
            .help("name a file or a skill's folder in a mirror, or add `--all` to claim what equals the canon"));
    }
    if args.commit {
        crate::git::commit::ready(&context.repo)?;
    }
    if args.writes() {
        return write(args, &context, out);
    }
    let seen = see(&context, &context.view, unfinished(context.repo.git_dir()))?;
    look::look(args, &context, &seen, out)
}

fn write(args: &Args, context: &Context<'_>, out: &mut Out<'_>) -> Result<Status, CliError> {
    let mut session = Session::begin(context.repo.git_dir())?;
    session.sweep(&context.view);
    let mut seen = see(context, &context.view, session.pending())?;
    let adopted = adopt::run(args, context, &mut session, &seen, out)?;
    if let Some(adopted) = &adopted {
        seen = see(context, &adopted.view, Vec::new())?;
    }
    let decision = seen.decide(args.consent());
    let shown = (args.format == Format::Human).then(|| diffs::refused_diffs(&context.view, &decision));
    let applied = apply::apply(context, &mut session, &seen, &decision)?;
    session.first_sync_is_done();
    let mut outcome = Outcome::happened(&seen, &decision, &applied);
    outcome.adopted = adopted.map(|adopted| adopted.files).unwrap_or_default();
    let done = commit::Done { seen: &seen, decision: &decision };
    let committed = if args.commit { commit::run(args, context, &done).map(Some) } else { Ok(None) };
    // What was written is told, also where the commit failed.
    outcome.commit = committed.as_ref().ok().cloned().flatten().flatten();
    match args.format {
        Format::Json => out.result(&outcome.to_json()),
        Format::Human => out.result(&outcome.in_words()),
    }
    out.remark(&shown.unwrap_or_default());
    if args.commit {
        for path in commit::left_out(context, &done) {
            out.remark(&format!("not committed: {path} holds changes that are not sync's; commit it yourself\n"));
        }
    }
    if committed?.is_some() && args.format == Format::Human {
        out.result(&commit::in_words(outcome.commit.as_ref()));
    }
    Ok(outcome.status())
}
