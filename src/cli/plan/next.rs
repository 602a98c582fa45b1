//! `canonry plan next`

use crate::app::plan::next;
use crate::app::plan::next::NextStep;
use crate::app::{Environment, Error, Workspace};
use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use crate::view::Basis;

/// Print the first step that is ready
#[derive(Debug, clap::Args)]
#[command(after_help = "The exit status is 3 if nothing is ready or in progress and a person must unblock a step.")]
pub struct Args {
    /// Plan to search
    #[arg(value_name = "PLAN")]
    plan: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// See [`next::run`].
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let outcome = next::run(&workspace, &next::Request { plan: args.plan.clone() })?;
    out.result(&match args.format {
        Format::Json => render::plan::next::to_json(&outcome),
        Format::Human => render::plan::next::to_text(&outcome),
    });
    Ok(match outcome.next {
        NextStep::Blocked(_) => Status::Person,
        NextStep::Ready(_) | NextStep::InProgress(_) | NextStep::Complete => Status::Done,
    })
}
