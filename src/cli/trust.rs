//! `canonry trust`

use super::output::Out;
use super::status::Status;
use crate::app::{Environment, Error, trust};
use crate::render;

/// Let this repository's config and permissions loosen the guards of the hooks
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without trust, a repository's config can make the guards stricter, but not looser than your own config, and its \
                  always-allowed entries do not approve calls. canonry pins the content of the config and of permissions.md: if \
                  a file changes, review it and run `canonry trust` again. Agents must not run this."
)]
pub struct Args {
    /// List all trusted files
    #[arg(long, conflicts_with = "remove")]
    list: bool,
    /// Do not trust the files of this repository any longer
    #[arg(long)]
    remove: bool,
}

/// Runs the command.
///
/// # Errors
/// See [`trust::add`].
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    out.result(&match (args.list, args.remove) {
        (true, _) => render::trust::list(&trust::list(env)?),
        (_, true) => render::trust::removed(trust::remove(env)?),
        _ => render::trust::added(&trust::add(env)?),
    });
    Ok(Status::Done)
}
