//! `canonry sync`

pub(super) mod adopt;
pub(super) mod apply;
mod args;
mod commit;
mod debounce;
pub(super) mod diffs;
mod ended;
mod every;
mod look;
mod others;
mod report;
pub(super) mod reverse_merge;
mod same_name;
mod staged;
mod watch;

use super::all::{self, Asked, Command};
use super::format::Format;
use super::output::Out;
use super::status::Status;
use crate::app::Workspace;
use crate::app::canons::{self, Canons};
use crate::app::sync::state::see;
use crate::app::{Environment, RepositoryScope};
use crate::app::{Error, ErrorKind};
use crate::apply::{Session, unfinished};
use crate::config::Target;
use crate::mirror::SyncPlan;
use crate::render::counted;
use crate::view::Basis;
pub use args::Args;
use ended::Ended;
use report::Outcome;

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    if args.is_for_many() {
        return many(args, env, out);
    }
    let env = &Environment { scope: if args.user { RepositoryScope::User } else { env.scope }, ..env.clone() };
    let basis = if args.staged { Basis::Index } else { Basis::WorkTree };
    let context = Workspace::open(env, &basis)?;
    let canons = canons::meant(&context, out)?;
    if let Canons::Nested(base) = canons {
        let env = Environment { base, ..env.clone() };
        return one(args, &Workspace::open(&env, &basis)?, out);
    }
    match canons {
        Canons::Every(_) if args.watch => {
            out.remark("Of its canons only the repository's own is watched; `canonry -C FOLDER sync --watch` watches another.\n");
            one(args, &context, out)
        }
        Canons::Every(bases) => every::run(args, (&context, &bases), on, out),
        Canons::Own | Canons::Nested(_) => one(args, &context, out),
    }
}

fn many(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    if args.user {
        return Err(Error::new(ErrorKind::Usage, "`--user` syncs your own canon, and `--all` those of repositories")
            .help("run one after the other"));
    }
    let command = if args.writes() { Command::Sync } else { Command::Look };
    let asked = Asked { given: &args.repositories, command, format: args.format };
    let of_one = args.for_one();
    all::run(&asked, &|env, out| run(&of_one, env, out), env, out)
}

fn one(args: &Args, context: &Workspace, out: &Out<'_>) -> Result<Status, Error> {
    if args.watch {
        return watch::run(&context.env, out);
    }
    match on(args, context, out)? {
        Some(ended) => ended.finish(args, context, out),
        None => Ok(Status::Done),
    }
}

/// Syncs one canon, and tells it to people; `None` where there is nothing to sync.
///
/// # Errors
/// See [`Error`].
fn on(args: &Args, context: &Workspace, out: &Out<'_>) -> Result<Option<Ended>, Error> {
    if args.staged {
        return staged::run(args, context, out);
    }
    // What is adopted may be the canon's first skill.
    if args.adopt.is_none() {
        context.require_canon()?;
    }
    if args.adopt.as_ref().is_some_and(Vec::is_empty) && !args.all {
        return Err(Error::new(ErrorKind::Usage, "`--adopt` needs a path")
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
        return write(args, context, out).map(Some);
    }
    let seen = see(context, &context.view, unfinished(&context.git_dir()))?;
    look::look(args, context, &seen, out).map(Some)
}

fn write(args: &Args, context: &Workspace, out: &Out<'_>) -> Result<Ended, Error> {
    let mut session = Session::begin(&context.git_dir())?;
    session.sweep(&context.view);
    let mut seen = see(context, &context.view, session.pending())?;
    let adopted = adopt::run(args, context, &mut session, &seen, out)?;
    if let Some(adopted) = &adopted {
        seen = see(context, &adopted.view, Vec::new())?;
    }
    let decision = seen.decide(args.consent());
    let twice =
        if context.env.scope == RepositoryScope::User { String::new() } else { same_name::remark(&context.env, &seen) };
    let shown = (args.format == Format::Human).then(|| diffs::refused_diffs(&context.view, &decision));
    let applied = apply::apply(context, &mut session, &seen, &decision)?;
    session.first_sync_is_done();
    let mut outcome = Outcome::happened(context, (&seen, &decision), &applied);
    outcome.adopted = adopted.map(|adopted| adopted.files).unwrap_or_default();
    let done = commit::Done { seen: &seen, decision: &decision };
    let to_commit = args.commit.then(|| commit::ToCommit::find(context, &done));
    if args.format == Format::Human {
        out.result(&outcome.in_words());
    }
    out.remark(&twice);
    out.remark(&shown.unwrap_or_default());
    out.remark(&still_tracked(context, &decision).unwrap_or_default());
    let status = outcome.status();
    Ok(Ended::new(outcome, status).with(to_commit))
}

/// Mirrors that git is to ignore, and tracks.
fn still_tracked(context: &Workspace, decision: &SyncPlan) -> Option<String> {
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
