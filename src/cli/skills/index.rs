//! `canonry skills index`

use crate::app::sync::registry::{RegistryOutcome, write_registry};
use crate::app::sync::{SyncMode, SyncRefusal};
use crate::app::{Error, Workspace};
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::edit::OverwriteMode;
use crate::render::sync::forced_changes;

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
pub(super) fn run(args: &Args, workspace: Workspace, out: &Out<'_>) -> Result<Status, Error> {
    let mode = if args.check { SyncMode::Preview } else { SyncMode::Write };
    let overwrite = if args.force { OverwriteMode::Force } else { OverwriteMode::OwnedOnly };
    let outcome = write_registry(workspace, mode, overwrite)?;
    print(mode, &outcome, out);
    let is_clean = outcome.refused.is_empty();
    Ok(match mode {
        SyncMode::Preview if is_clean && outcome.written.is_empty() => Status::Done,
        SyncMode::Preview => Status::Findings,
        SyncMode::Write if is_clean => Status::Done,
        SyncMode::Write => Status::Refused,
    })
}

fn print(mode: SyncMode, outcome: &RegistryOutcome, out: &Out<'_>) {
    let verb = if mode == SyncMode::Write { "wrote" } else { "stale" };
    for path in &outcome.written {
        out.result(&format!("{verb:9} {path}\n"));
    }
    for (path, backup) in &outcome.backups {
        out.result(&format!("backed up {path} to {}\n", backup.display()));
    }
    for SyncRefusal { path, reason } in &outcome.refused {
        out.remark(&format!("refused   {path}: {reason}\n"));
    }
    out.remark(&forced_changes(&outcome.refused_diffs));
    if mode == SyncMode::Write && outcome.written.is_empty() && outcome.refused.is_empty() {
        out.result("The list of the skills is up to date.\n");
    }
}
