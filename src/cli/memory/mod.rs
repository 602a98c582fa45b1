//! `canonry memory`

mod merge_driver;

use super::env::{Env, Out};
use super::error::CliError;
use super::status::Status;

/// Looks at the memory: what it holds, why a row counts, how two branches of it are merged.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Merges a file of the memory for git, which `canonry install merge-driver` tells to
    MergeDriver(merge_driver::Args),
}

/// Runs the command.
///
/// # Errors
/// See [`CliError`].
pub fn run(args: &Args, env: &Env, out: &mut Out<'_>) -> Result<Status, CliError> {
    match &args.what {
        What::MergeDriver(args) => merge_driver::run(args, env, out),
    }
}
