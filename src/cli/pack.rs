//! `canonry pack`

use super::format::Format;
use super::output::Out;
use super::status::Status;
use crate::render;
use canonry_app::pack::{self, Bump, PackOutcome, PackRequest};
use canonry_app::{Environment, Error};
use std::path::PathBuf;

/// Write the canon as a plugin
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = "The plugin follows Agent Plugins 1.0, with manifests for Claude Code, Codex and Cursor. `pack` in the config has its settings."
)]
pub struct PackArgs {
    /// Directory of the plugin [default: plugins/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write nothing; exit with 1 if the plugin is outdated
    #[arg(long, conflicts_with = "dry_run")]
    check: bool,
    /// Write nothing; print the changes as a diff
    #[arg(long)]
    dry_run: bool,
    /// Part of the version that a change increases
    #[arg(long, value_enum, default_value_t = Bump::Patch)]
    bump: Bump,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// See [`pack::run`].
pub fn run(args: &PackArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let outcome =
        pack::run(env, &PackRequest { out: args.out.clone(), bump: args.bump, preview: args.check || args.dry_run })?;
    match args.format {
        Format::Json => out.result(&render::pack::document(&outcome)),
        Format::Human => print(args, &outcome, out),
    }
    Ok(match (outcome.refused.is_empty(), args.check) {
        (_, true) if !outcome.is_current() => Status::Findings,
        (false, _) => Status::Refused,
        (true, _) => Status::Done,
    })
}

fn print(args: &PackArgs, outcome: &PackOutcome, out: &Out<'_>) {
    out.remark(&render::pack::remarks(outcome));
    if args.check {
        out.result(&render::pack::stale(outcome));
    } else if args.dry_run {
        out.result(&render::diff::patch(&outcome.diffs));
        out.remark(&render::pack::preview(outcome));
    } else if outcome.refused.is_empty() {
        out.result(&render::pack::packed(outcome));
    }
}
