//! `--check`, `--dry-run` and `--diff`: what a run would do.

use super::args::Args;
use super::diffs;
use super::ended::Ended;
use super::report::Outcome;
use super::seen::Seen;
use crate::cli::context::Context;
use crate::cli::env::Out;
use crate::cli::error::CliError;
use crate::cli::format::Format;
use crate::cli::status::Status;

/// Tells what a run would do about what was seen, and writes nothing.
///
/// # Errors
/// See [`CliError`].
pub fn look(args: &Args, context: &Context<'_>, seen: &Seen, out: &mut Out<'_>) -> Result<Ended, CliError> {
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
