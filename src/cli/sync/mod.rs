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
use crate::config::Target;
use crate::mirror::Decision;
use crate::render::counted;
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
    let to_commit = args.commit.then(|| commit::ToCommit::find(context, &done));
    let committed = to_commit.as_ref().map(|to_commit| to_commit.commit(args, context)).transpose();
    // What was written is told, also where the commit failed.
    outcome.commit = committed.as_ref().ok().cloned().flatten().flatten();
    match args.format {
        Format::Json => out.result(&outcome.to_json()),
        Format::Human => out.result(&outcome.in_words()),
    }
    out.remark(&shown.unwrap_or_default());
    for path in to_commit.iter().flat_map(|to_commit| &to_commit.left_out) {
        out.remark(&format!("not committed: {path} holds changes that are not sync's; commit it yourself\n"));
    }
    if let Some(words) = still_tracked(context, &decision) {
        out.remark(&words);
    }
    if committed?.is_some() && args.format == Format::Human {
        out.result(&commit::in_words(outcome.commit.as_ref()));
    }
    Ok(outcome.status())
}

/// Mirrors that git is to ignore, and tracks.
fn still_tracked(context: &Context<'_>, decision: &Decision) -> Option<String> {
    if !context.config.files.git.ignore {
        return None;
    }
    let tracked =
        |target: Target| context.view.tracked(&target.skills_root()).filter(|path| decision.lock.owns(path)).count();
    let count: usize = Target::ALL.into_iter().map(tracked).sum();
    (count > 0).then(|| {
        format!(
            "git still tracks {}, which `.gitignore` names by now. To take them out of the next commit, and leave them where \
             they are:\n  git add .gitignore {} && canonry sync --staged\n",
            counted(count, "mirrored file"),
            context.layout.root()
        )
    })
}
