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
    /// Candidate id or a prefix of it; `canonry memory review` lists the ids
    candidate: String,
    /// Reason for the decision; recorded with your name
    #[arg(short, long, value_name = "WHY")]
    reason: String,
    /// Do not commit the written files
    #[arg(long)]
    no_commit: bool,
    /// Use this time as the current time: RFC 3339, UTC if it has no zone
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
}

/// The arguments of `canonry memory accept`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "An accepted lesson is added to LESSONS.md with its episodes, an accepted skill to skills/ as a draft to complete."
)]
pub struct AcceptArgs {
    #[command(flatten)]
    settle: Settle,
    /// Use this text for the lesson, or this name for the skill
    #[arg(long = "as", value_name = "TEXT")]
    words: Option<String>,
    /// Retract the lessons that it contradicts, and reject the contradicting candidates
    #[arg(long)]
    supersede: bool,
}

/// The arguments of `canonry memory reject`.
#[derive(Debug, clap::Args)]
#[command(after_help = "A rejected candidate is never proposed again.")]
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
    unoccupied(context.repo()?)?;
    if !args.no_commit {
        ready(&context, context.config.memory.branch.as_deref())?;
    }
    let session = Session::begin(&context.git_dir()?)?;
    let _: Resumed = resume(args.no_commit, &context, &session, out)?;
    let waiting = Waiting::read(&context)?;
    let desk = ReviewContext {
        context: &context,
        session: &session,
        waiting,
        by: committer(context.repo()?)?,
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
