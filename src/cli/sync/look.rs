//! `--check`, `--dry-run` and `--diff`: what a run would do.

use super::args::Args;
use super::diffs;
use super::ended::Ended;
use super::report::Outcome;
use crate::app::Error;
use crate::app::Workspace;
use crate::app::sync::state::Seen;
use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;

/// Tells what a run would do about what was seen, and writes nothing.
///
/// # Errors
/// See [`Error`].
pub fn look(args: &Args, context: &Workspace, seen: &Seen, out: &Out<'_>) -> Result<Ended, Error> {
    let decision = seen.decide(args.consent());
    let never = seen.survey.never_synced;
    let outcome = Outcome::foreseen(context, seen, &decision);
    match args.format {
        Format::Json => {}
        Format::Human => {
            if args.dry_run || args.diff {
                out.result(&diffs::diffs(&context.view, &decision, args.diff));
            }
            if args.check {
                out.result(&outcome.drift_in_words(never));
            }
            if args.dry_run || (args.diff && !args.check) {
                out.remark(&outcome.refused_in_words());
            }
            out.remark(&outcome.foreseen_in_words());
        }
    }
    let status = if args.dry_run {
        outcome.status()
    } else if outcome.drifts() && !never {
        Status::Findings
    } else {
        Status::Done
    };
    Ok(Ended::new(outcome, status))
}
