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
mod same_name;
pub(super) mod seen;
mod staged;
mod watch;

use super::all::{self, Asked, Command};
use super::context::Context;
use super::env::{Env, Out, Place};
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
    if args.is_for_many() {
        return many(args, env, out);
    }
    if args.watch {
        return watch::run(env, out);
    }
    if args.staged {
        return staged::run(args, env, out);
    }
    if args.user {
        return one(args, &Env { place: Place::User, ..env.clone() }, out);
    }
    one(args, env, out)
}

fn many(args: &Args, env: &Env, out: &mut Out<'_>) -> Result<Status, CliError> {
    if args.user {
        return Err(CliError::new(Status::Usage, "`--user` syncs your own canon, and `--all` those of repositories")
            .help("run one after the other"));
    }
    let command = if args.writes() { Command::Sync } else { Command::Look };
    let asked = Asked { given: &args.repositories, command, format: args.format };
    let of_one = args.for_one();
    all::run(&asked, &|env, out| run(&of_one, env, out), env, out)
}

fn one(args: &Args, env: &Env, out: &mut Out<'_>) -> Result<Status, CliError> {
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
    for target in &context.placeless {
        let name = target.name();
        out.remark(&format!("left out  {name}: where it looks for the skills of a user is not known\n"));
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
    let twice = if context.env.place == Place::User { String::new() } else { same_name::remark(context.env, &seen) };
    let shown = (args.format == Format::Human).then(|| diffs::refused_diffs(&context.view, &decision));
    let applied = apply::apply(context, &mut session, &seen, &decision)?;
    session.first_sync_is_done();
    let mut outcome = Outcome::happened(&seen, &decision, &applied);
    outcome.adopted = adopted.map(|adopted| adopted.files).unwrap_or_default();
    let done = commit::Done { seen: &seen, decision: &decision };
    let to_commit = args.commit.then(|| commit::ToCommit::find(context, &done));
    let committed = to_commit.as_ref().map(|to_commit| to_commit.commit(args, context)).transpose();
    // What was written is told, also where the commit failed.
    outcome.commit = committed.as_ref().ok().cloned().flatten().flatten();
    match args.format {
        Format::Json => out.result(&outcome.to_json()),
        Format::Human => out.result(&outcome.in_words()),
    }
    out.remark(&twice);
    out.remark(&shown.unwrap_or_default());
    for path in to_commit.iter().flat_map(|to_commit| &to_commit.left_out) {
        out.remark(&format!("not committed: {path} holds changes that are not sync's; commit it yourself\n"));
    }
    if committed?.is_some() && args.format == Format::Human {
        out.result(&commit::in_words(outcome.commit.as_ref()));
    }
    Ok(outcome.status())
}
