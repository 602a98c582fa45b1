//! `canonry tour`

use super::env::{Env, Out};
use super::error::CliError;
use super::status::Status;

/// Shows the main jobs on a bundled example in a scratch repository.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the command.
///
/// # Errors
/// See [`CliError`].
pub fn run(_args: &Args, _env: &Env, out: &mut Out<'_>) -> Result<Status, CliError> {
    out.remark("");
    Ok(Status::Done)
}
