//! `canonry init`

use super::format::Format;
use super::output::Out;
use super::status::Status;
use crate::app::init::{self, InitRequest};
use crate::app::{Environment, Error};
use crate::render;
use crate::scaffold::ScaffoldSize;

/// Create a canon, and adopt the skills that tools already have
///
/// A new canon contains seven skills, the workflow, permissions, schemas, an empty memory and an example plan. `init` never overwrites a file; a second run adds what is missing. It moves no skill: skills in the directories of tools (.claude/skills, .gemini/skills, .agents/skills and others) are copied to the canon unchanged.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Add only AGENTS.md and the config, for teams that only want their skills mirrored
    #[arg(long)]
    minimal: bool,
    /// Write nothing; print the new files as a unified diff
    #[arg(long)]
    dry_run: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// See [`init::run`].
pub fn run(args: &Args, environment: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let size = if args.minimal { ScaffoldSize::Minimal } else { ScaffoldSize::Full };
    let outcome = init::run(environment, &InitRequest { size, dry_run: args.dry_run })?;
    match args.format {
        Format::Json => out.result(&render::init::document(&outcome)),
        Format::Human if args.dry_run => {
            out.result(&render::diff::patch(&outcome.diffs));
            out.remark(&render::init::human(&outcome));
        }
        Format::Human => out.result(&render::init::human(&outcome)),
    }
    Ok(if outcome.refused.is_empty() { Status::Done } else { Status::Refused })
}
