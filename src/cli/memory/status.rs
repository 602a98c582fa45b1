//! `canonry memory status`

use super::look::Look;
use crate::app::Environment;
use crate::app::Error;
use crate::app::Workspace;
use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::cli::when;
use crate::render::{json, memory};
use crate::view::Basis;

/// The arguments of `canonry memory status`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Use this time as the current time: RFC 3339, UTC if it has no zone
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
    /// Number of patterns and rows to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let now = when::now(args.now.as_deref())?;
    let context = Workspace::open(env, &Basis::WorkTree)?;
    let overview = Look::at(&context, now)?.overview(args.top)?;
    out.result(&match args.format {
        Format::Human => memory::words(&overview, out.style.width),
        Format::Json => json::to_text(&overview),
    });
    Ok(Status::Done)
}
