//! `canonry memory accept` and `canonry memory reject`

mod desk;
mod settled;
mod write;

use super::queue::Waiting;
use crate::app::Environment;
use crate::app::Workspace;
use crate::app::{Error, ErrorKind};
use crate::apply::Session;
use crate::apply::log_transaction::sweep;
use crate::cli::dream;
use crate::cli::dream::carry::{Resumed, ready, resume};
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::cli::when;
use crate::git::commit::{committer, unoccupied};
use crate::memory::review::{Entry, Event, Kind, Standing};
use crate::view::Basis;
use settled::{How, Opposed, ReviewContext, Settled, subject};

/// The arguments of both.
#[derive(Debug, clap::Args)]
pub struct Settle {
    /// The candidate, by its name or the first characters of it; `canonry memory review` tells the names
    candidate: String,
    /// Why; it is kept with your name
    #[arg(short, long, value_name = "WHY")]
    reason: String,
    /// Leave what was written uncommitted
    #[arg(long)]
    no_commit: bool,
    /// The moment that counts as now, RFC 3339; without a zone it is UTC
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
}

/// The arguments of `canonry memory accept`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A lesson goes into LESSONS.md with its episodes, a skill into skills/ as a draft that you finish."
)]
pub struct AcceptArgs {
    #[command(flatten)]
    settle: Settle,
    /// The lesson in other words; of a skill, another name
    #[arg(long = "as", value_name = "TEXT")]
    words: Option<String>,
    /// Strike out the lessons that it is opposed to, and reject the candidates that are
    #[arg(long)]
    supersede: bool,
}

/// The arguments of `canonry memory reject`.
#[derive(Debug, clap::Args)]
#[command(after_help = "What was rejected is not found again, whatever is logged.")]
pub struct RejectArgs {
    #[command(flatten)]
    settle: Settle,
}

/// Runs `canonry memory accept`.
///
/// # Errors
/// See [`Error`].
pub fn accept(args: &AcceptArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let opposed = if args.supersede { Opposed::StruckOut } else { Opposed::Stay };
    let how = How { words: args.words.as_deref(), opposed };
    settle(&args.settle, env, out, &|desk, entry| match entry.staged.kind {
        Kind::Lesson => desk.accept_lesson(entry, &how),
        Kind::Skill => desk.accept_skill(entry, how.words),
        Kind::Retire => desk.retire(entry),
    })
}

/// Runs `canonry memory reject`.
///
/// # Errors
/// See [`Error`].
pub fn reject(args: &RejectArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    settle(&args.settle, env, out, &|desk, entry| {
        if let Standing::Rejected(word) = &entry.standing {
            return Ok(Settled::already("rejected", word));
        }
        let events = vec![Event::Rejected(desk.word(&entry.staged, None))];
        Ok(Settled {
            events,
            message: subject(&format!("{} rejected", kind(entry)), &entry.staged.text),
            ..Settled::default()
        })
    })
}

type Decide<'d> = &'d dyn Fn(&ReviewContext<'_>, &Entry) -> Result<Settled, Error>;

fn settle(args: &Settle, env: &Environment, out: &Out<'_>, decide: Decide<'_>) -> Result<Status, Error> {
    let now = when::now(args.now.as_deref())?;
    if args.reason.trim().is_empty() {
        return Err(Error::new(ErrorKind::Usage, "`--reason` is empty").help("say why, for those who read it later"));
    }
    let context = Workspace::open(env, &Basis::WorkTree)?;
    context.require_canon()?;
    dream::no_links(&context)?;
    unoccupied(&context.repo)?;
    if !args.no_commit {
        ready(&context, context.config.memory.branch.as_deref())?;
    }
    let session = Session::begin(&context.git_dir())?;
    let _: Resumed = resume(args.no_commit, &context, &session, out)?;
    let waiting = Waiting::read(&context)?;
    let desk = ReviewContext {
        context: &context,
        session: &session,
        waiting,
        by: committer(&context.repo)?,
        reason: args.reason.trim().to_owned(),
        now,
    };
    let entry = desk.waiting.find(&args.candidate)?;
    sweep(&session, &context.view, &dream::folders(&context));
    let settled = decide(&desk, entry)?;
    let commit = desk.write(&settled, args.no_commit)?;
    out.result(&format!("{}\n", settled.message));
    if let Some((path, _)) = &settled.skill {
        out.result(&format!(
            "wrote     {path}\nIt is a draft: finish it, then `canonry check {path}` and `canonry sync`.\n"
        ));
    }
    if let Some(made) = commit {
        out.result(&format!("Committed as {}.\n", made.id.to_hex_with_len(10)));
    }
    Ok(Status::Done)
}

fn kind(entry: &Entry) -> &'static str {
    match entry.staged.kind {
        Kind::Lesson => "lesson",
        Kind::Skill => "skill",
        Kind::Retire => "retirement",
    }
}
