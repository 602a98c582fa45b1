//! `canonry doctor`

use super::format::Format;
use super::output::Out;
use super::status::Status;
use crate::render;
use canonry_app::doctor;
use canonry_app::{Environment, Error};

/// Show for each coding agent whether it is installed and runs canonry's hooks
///
/// "hooks" compares the tool's settings file in this repository with what `canonry sync` writes. "trusted" is what the tool's own files say; "unknown" means that they do not say. "last hook" is the last time that a hook of the tool ran, in any repository. To find the versions, `doctor` runs each tool with `--version`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit status: 0 if the hooks of every installed tool are as configured, 1 if there is something to do."
)]
pub struct DoctorArgs {
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// See [`doctor::run`].
pub fn run(args: &DoctorArgs, environment: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let outcome = doctor::run(environment)?;
    out.result(&match args.format {
        Format::Human => render::doctor::human(&outcome),
        Format::Json => render::doctor::json(&outcome),
    });
    Ok(if outcome.has_problems() { Status::Findings } else { Status::Done })
}
