//! `canonry trust`

use super::output::Out;
use super::status::Status;
use crate::render;
use canonry_app::{Environment, Error, trust};

/// Let this repository loosen the guards and make tools run commands
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Shows what it trusts. Without trust, a repository's config can make the guards stricter, but not looser than your own \
                  config, its always-allowed entries do not approve calls, and `canonry sync` writes no hook of hooks.yaml, no server of \
                  mcp.json and no always-allowed entry of permissions.md into the settings of a tool that lacks it. What you write in \
                  this clone needs no trust: sync trusts it. canonry pins the content of the config and of permissions.md, and each \
                  entry: if one changes, review it and run `canonry trust` again. Agents must not run this."
)]
pub struct TrustArgs {
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
pub fn run(args: &TrustArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    out.result(&match (args.list, args.remove) {
        (true, _) => render::trust::list(&trust::list(env)?),
        (_, true) => render::trust::removed(trust::remove(env)?),
        _ => render::trust::added(&trust::add(env)?),
    });
    Ok(Status::Done)
}
