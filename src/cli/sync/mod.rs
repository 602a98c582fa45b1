//! `canonry sync`

mod adopt;
mod commit;
mod diffs;
mod report;

use super::Format;
use super::context::Context;
use super::env::{Env, Out};
use super::error::CliError;
use super::status::Status;
use crate::apply::{Applied, Plan, Session, unfinished};
use crate::canon::inventory::SkillFolder;
use crate::canon::schema::Schemas;
use crate::canon::{Blob, Entry, State};
use crate::mirror::{Consent, Decision, Lock, decide};
use crate::syntax::RepoPath;
use crate::view::survey::{self, Survey, mirrored, survey};
use crate::view::{Basis, Ignored, View, load};
use gix::bstr::ByteSlice;
use report::Outcome;
use std::path::PathBuf;

/// Mirrors the canon's skills for each tool.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write nothing; leave with 1 where a mirror differs from the canon
    #[arg(long, group = "mode")]
    pub check: bool,
    /// Write nothing; print the changes that a run would make as a unified diff
    #[arg(long, group = "mode")]
    pub dry_run: bool,
    /// Show as a unified diff what differs, edits by hand included; with nothing else, write nothing
    #[arg(long)]
    pub diff: bool,
    /// Commit what was mirrored: the skills, their mirrors and the lock, and nothing else
    #[arg(long, conflicts_with = "mode")]
    pub commit: bool,
    /// The commit's message
    #[arg(short, long, value_name = "TEXT", requires = "commit")]
    pub message: Option<String>,
    /// Take this file or folder of a mirror into the canon first (may be given more than once)
    #[arg(long, value_name = "PATH", num_args = 0..=1, conflicts_with = "mode")]
    pub adopt: Option<Vec<PathBuf>>,
    /// With --adopt and no path: claim every mirrored file that equals the canon, as after a lost lock
    #[arg(long, requires = "adopt")]
    pub all: bool,
    /// Replace what was edited or written by others where the canon is mirrored; a copy is kept
    #[arg(long)]
    pub force: bool,
    /// How the outcome is written
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
}

impl Args {
    fn writes(&self) -> bool {
        !self.check && !self.dry_run && (!self.diff || self.commit || self.adopt.is_some())
    }

    fn consent(&self) -> Consent {
        if self.force { Consent::Force } else { Consent::Ours }
    }
}

/// Runs the command.
///
/// # Errors
/// See [`CliError`].
pub fn run(args: &Args, env: &Env, out: &mut Out<'_>) -> Result<Status, CliError> {
    let context = Context::open(env, &Basis::WorkTree)?;
    context.require_canon()?;
    if args.adopt.as_ref().is_some_and(Vec::is_empty) && !args.all {
        return Err(CliError::new(Status::Usage, "`--adopt` needs a path")
            .help("name a file or a skill's folder in a mirror, or add `--all` to claim what equals the canon"));
    }
    if args.commit {
        crate::git::commit::ready(&context.repo)?;
    }
    if args.writes() { write(args, &context, out) } else { look(args, &context, out) }
}

/// The canon and its mirrors at one moment.
struct Seen {
    survey: Survey,
    unreadable: Vec<(RepoPath, String)>,
}

/// `pending`: what an unfinished run may have left.
fn see(context: &Context<'_>, view: &View, pending: Vec<(RepoPath, State)>) -> Result<Seen, CliError> {
    let listing = view.list(&context.layout.skills(), Ignored::LeftOut)?;
    let entries: Vec<Entry> = listing.files.iter().map(|file| file.entry.clone()).collect();
    let inventory = mirrored(&entries, &context.layout);
    let is_broken = |folder: &SkillFolder| load::skill(view, folder, &Schemas::default()).is_broken();
    let scope = survey::Scope {
        layout: &context.layout,
        targets: &context.config.targets,
        unreadable: &listing.unreadable,
        pending,
        is_broken: &is_broken,
    };
    let survey = survey(view, &listing.files, &inventory, scope)?;
    Ok(Seen { survey, unreadable: listing.unreadable })
}

impl Seen {
    fn decide(&self, consent: Consent) -> Decision {
        let nothing = Lock::default();
        let lock = self.survey.lock.as_ref().unwrap_or(&nothing);
        decide(&self.survey.desired, &self.survey.actual, lock, consent)
    }
}

fn look(args: &Args, context: &Context<'_>, out: &mut Out<'_>) -> Result<Status, CliError> {
    let seen = see(context, &context.view, unfinished(context.repo.git_dir()))?;
    let decision = seen.decide(args.consent());
    let never = seen.survey.lock.is_none();
    let outcome = Outcome::foreseen(&seen, &decision);
    match args.format {
        Format::Json => out.result(&outcome.to_json()),
        Format::Human => {
            if args.dry_run || args.diff {
                out.result(&diffs::diffs(&context.view, &decision, args.diff));
            }
            if args.check {
                out.result(&outcome.drift_in_words(never));
            }
            out.remark(&outcome.foreseen_in_words());
        }
    }
    Ok(if args.dry_run {
        outcome.status()
    } else if outcome.drifts() && !never {
        Status::Findings
    } else {
        Status::Done
    })
}

fn write(args: &Args, context: &Context<'_>, out: &mut Out<'_>) -> Result<Status, CliError> {
    let mut session = Session::begin(context.repo.git_dir())?;
    session.sweep(&context.view);
    let mut seen = see(context, &context.view, session.pending())?;
    if let Some(adopted) = adopt::run(args, context, &mut session, &seen, out)? {
        seen = see(context, &adopted, Vec::new())?;
    }
    let decision = seen.decide(args.consent());
    let shown = (args.format == Format::Human).then(|| diffs::refused_diffs(&context.view, &decision));
    let applied = apply(context, &mut session, &seen, &decision)?;
    let outcome = Outcome::happened(&seen, &decision, &applied);
    match args.format {
        Format::Json => out.result(&outcome.to_json()),
        Format::Human => out.result(&outcome.in_words()),
    }
    out.remark(&shown.unwrap_or_default());
    let status = outcome.status();
    if args.commit {
        commit::run(args, context, &commit::Done { seen: &seen, decision: &decision }, out)?;
    }
    Ok(status)
}

fn apply(context: &Context<'_>, session: &mut Session, seen: &Seen, decision: &Decision) -> Result<Applied, CliError> {
    let nothing_to_own = seen.survey.desired.wants.is_empty() && decision.lock.is_empty();
    let plan = Plan {
        edits: &decision.edits,
        keep_aside: &decision.forced,
        last: lock_change(context, &decision.lock, nothing_to_own),
    };
    let applied = session.apply(&context.view, &plan, &context.env.cancel)?;
    if !applied.overtaken.is_empty() {
        // What was not written is not owned, and what was not removed still is.
        let before = seen.survey.lock.clone().unwrap_or_default();
        let lock = decision.lock.with_those_of(&before, &applied.overtaken);
        let plan = Plan { edits: &[], keep_aside: &[], last: lock_change(context, &lock, true) };
        session.apply(&context.view, &plan, &context.env.cancel)?;
    }
    Ok(applied)
}

/// The lock's new text, where it says something new: a checkout with other line endings does not.
fn lock_change(context: &Context<'_>, lock: &Lock, nothing_to_own: bool) -> Option<(RepoPath, Vec<u8>)> {
    let path = context.layout.lock();
    let text = lock.to_text();
    let same = match context.view.read(&path, u64::MAX) {
        Blob::Bytes(before) => before.lines().eq(text.lines()),
        Blob::Missing(_) => nothing_to_own,
    };
    (!same).then_some((path, text))
}
