//! `canonry import`

use super::format::Format;
use super::output::Out;
use super::status::Status;
use crate::render;
use canonry_app::import::{self, ImportOutcome};
use canonry_app::{Environment, Error};
use canonry_exchange::import::SourceKind;

/// Import skills, rules, settings and workflows from other tools
///
/// Writes files in agent/ and reports what it cannot keep. The import never overwrites a file, changes the source, or
/// commits.
#[derive(Debug, clap::Args)]
pub struct ImportArgs {
    /// Source [default: the only one found]
    #[arg(long, value_enum, value_name = "TOOL")]
    from: Option<SourceKind>,
    /// Write nothing; print the new files as a diff
    #[arg(long)]
    dry_run: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// See [`import::run`].
pub fn run(args: &ImportArgs, environment: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let outcome = import::run(environment, args.from, args.dry_run)?;
    if outcome.source.is_none() {
        out.remark(render::import::NO_SOURCE);
    }
    match args.format {
        Format::Json => out.result(&render::import::document(&outcome)),
        Format::Human if outcome.source.is_none() => {}
        Format::Human if args.dry_run => {
            out.result(&render::diff::patch(&outcome.diffs));
            out.remark(&render::import::human(&outcome));
        }
        Format::Human => out.message(&render::import::human(&outcome)),
    }
    Ok(status(&outcome))
}

fn status(outcome: &ImportOutcome) -> Status {
    let refused = if outcome.result.refused.is_empty() { Status::Done } else { Status::Refused };
    let is_unreadable = outcome.result.skipped.iter().any(|item| item.is_unreadable);
    refused.and(if is_unreadable { Status::Unreadable } else { Status::Done })
}
