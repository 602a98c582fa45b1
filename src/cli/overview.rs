//! `canonry status`

use super::format::Format;
use super::output::Out;
use super::status::Status;
use crate::render;
use canonry_app::overview;
use canonry_app::{Environment, Error};

/// Show the state of the canon, and what waits for you
#[derive(Debug, clap::Args)]
pub struct OverviewArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// See [`overview::run`].
pub fn run(args: &OverviewArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let outcome = overview::run(env, &canonry_app::Quiet)?;
    out.result(&args.format.render(&outcome, render::overview::to_text, render::overview::to_json));
    Ok(Status::Done)
}
