//! `canonry doctor`

use super::format::Format;
use super::output::Out;
use super::status::Status;
use crate::render;
use canonry_app::doctor;
use canonry_app::{Environment, Error};

/// Show what each coding agent reads, and whether its hooks work
///
/// Runs each installed tool with `--version`. "trusted" is "unknown" if the tool's own files do not say.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exits with 1 if there is something to do.")]
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
    out.result(&args.format.render(&outcome, render::doctor::human, render::doctor::json));
    Ok(if outcome.has_problems() { Status::Findings } else { Status::Done })
}
