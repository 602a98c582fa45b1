//! `canonry skills index`

use crate::app::Workspace;
use crate::app::sync::state::{Seen, see};
use crate::app::{Error, ErrorKind};
use crate::apply::{Applied, Plan, Session};
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::cli::sync::apply::lock_changes;
use crate::cli::sync::diffs::refused_diffs;
use crate::edit::OverwriteMode;
use crate::mirror::SyncPlan;

/// Write the skill index: `skills/_index.md` for people, `skills/_manifest.jsonl` for programs
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Once the files exist, `canonry sync` updates them and `canonry check` reports them if they are stale. \
                  Files with other content are not overwritten (status 5)."
)]
pub struct Args {
    /// Write nothing; exit with 1 if a file is missing or stale
    #[arg(long)]
    check: bool,
    /// Replace files that canonry did not write, or that were edited; back them up first
    #[arg(long, conflicts_with = "check")]
    force: bool,
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub(super) fn run(args: &Args, mut context: Workspace, out: &Out<'_>) -> Result<Status, Error> {
    // Whoever asks for them wants them.
    context.config.skills_index = Some(true);
    let consent = if args.force { OverwriteMode::Force } else { OverwriteMode::OwnedOnly };
    if args.check {
        let seen = see(&context, &context.view, Vec::new())?;
        return Ok(foreseen(&of_registry(seen.decide(consent), &seen), out));
    }
    let mut session = Session::begin(&context.git_dir())?;
    session.sweep(&context.view);
    if !session.pending().is_empty() {
        // Its journal tells that run's own work from a person's; ours would take its place.
        let error = Error::new(ErrorKind::Refused, "a sync was cut off and is to be finished first");
        return Err(error.help("run `canonry sync`, then this again"));
    }
    let seen = see(&context, &context.view, Vec::new())?;
    if seen.survey.lock_conflict {
        let message = format!("{}: it holds the conflict of a merge", context.layout.lock());
        return Err(Error::new(ErrorKind::Unreadable, message).help("run `canonry sync`, which resolves it"));
    }
    let decision = of_registry(seen.decide(consent), &seen);
    let shown = refused_diffs(&context.view, &decision);
    let applied = write(&context, &mut session, &seen, &decision)?;
    Ok(tell(&decision, &applied, &shown, out))
}

/// What a sync would do to the two files, and to nothing else.
fn of_registry(mut decision: SyncPlan, seen: &Seen) -> SyncPlan {
    let lists = &seen.survey.registry;
    decision.edits.retain(|edit| lists.contains(edit.path()));
    decision.refused.retain(|refusal| lists.contains(&refusal.path));
    decision.forced.retain(|path| lists.contains(path));
    decision.lock = seen.survey.lock.with_those_of(&decision.lock, lists);
    decision
}

/// Where there is no lock none is made: the repository would look as if it had been synced. The files are known for ours by
/// their first lines.
fn write(context: &Workspace, session: &mut Session, seen: &Seen, decision: &SyncPlan) -> Result<Applied, Error> {
    let lock = |lock| if context.is_unsynced() { Vec::new() } else { lock_changes(context, lock, true) };
    let plan = Plan { edits: &decision.edits, keep_aside: &decision.forced, last: lock(&decision.lock) };
    let applied = session.apply(&context.view, &plan, &context.env.cancel)?;
    if !applied.overtaken.is_empty() {
        let after = decision.lock.with_those_of(&seen.survey.lock, &applied.overtaken);
        let plan = Plan { edits: &[], keep_aside: &[], last: lock(&after) };
        session.apply(&context.view, &plan, &context.env.cancel)?;
    }
    Ok(applied)
}

fn foreseen(decision: &SyncPlan, out: &Out<'_>) -> Status {
    for path in decision.edits.iter().map(|edit| edit.path()) {
        out.result(&format!("stale     {path}\n"));
    }
    refused(decision, out);
    if decision.edits.is_empty() && decision.refused.is_empty() { Status::Done } else { Status::Findings }
}

fn refused(decision: &SyncPlan, out: &Out<'_>) {
    for refusal in &decision.refused {
        out.remark(&format!("refused   {}: {}\n", refusal.path, refusal.reason));
    }
}

fn tell(decision: &SyncPlan, applied: &Applied, shown: &str, out: &Out<'_>) -> Status {
    let written = decision.edits.iter().map(|edit| edit.path()).filter(|path| !applied.overtaken.contains(path));
    let lines: String = written.map(|path| format!("wrote     {path}\n")).collect();
    out.result(&lines);
    for (path, copy) in &applied.kept_aside {
        out.result(&format!("kept      {path} as it was: {}\n", copy.display()));
    }
    for path in &applied.overtaken {
        out.remark(&format!("refused   {path}: something else stands there by now\n"));
    }
    refused(decision, out);
    out.remark(shown);
    if !decision.refused.is_empty() || !applied.overtaken.is_empty() {
        return Status::Refused;
    }
    if decision.edits.is_empty() {
        out.result("The list of the skills is up to date.\n");
    }
    Status::Done
}
