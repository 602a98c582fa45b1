//! `canonry trust`

use super::output::Out;
use super::status::Status;
use crate::render;
use canonry_app::{Environment, Error, trust};

/// Trust the settings and commands of this repository
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Shows and pins the config, permissions.md, and each command that tools would run. Without trust, they cannot loosen guards or reach a tool's settings; your own changes in this clone need none. Agents must not run this."
)]
pub struct TrustArgs {
    /// List all trusted files
    #[arg(long, conflicts_with = "remove")]
    list: bool,
    /// End the trust in this repository
    #[arg(long)]
    remove: bool,
}

/// Runs the command.
///
/// # Errors
/// See [`trust::add`].
pub fn run(args: &TrustArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    out.result(&match (args.list, args.remove) {
        (true, _) => render::trust::list(&trust::list(env)?),
        (_, true) => render::trust::removed(trust::remove(env)?),
        _ => render::trust::added(&trust::add(env)?),
    });
    Ok(Status::Done)
}
