//! `canonry plan verify`

use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::plan::verify::{self, VerifyPlanRequest};
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;

/// Run the commands of every step again in a clean checkout
#[derive(Debug, clap::Args)]
#[command(after_help = "The plan must be complete. A step whose command fails is pending again, and the status is 1.")]
pub struct PlanVerifyArgs {
    /// Plan
    #[arg(value_name = "PLAN")]
    plan: Option<String>,
    /// Revert the work of failed steps by new commits
    #[arg(long)]
    revert: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// See [`verify::run`].
pub fn run(args: &PlanVerifyArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let outcome = verify::run(&workspace, &VerifyPlanRequest { plan: args.plan.clone(), revert: args.revert }, out)?;
    out.result(&match args.format {
        Format::Human => render::plan::verify::to_text(&outcome),
        Format::Json => render::plan::verify::to_json(&outcome),
    });
    Ok(if outcome.failures.is_empty() { Status::Done } else { Status::Findings })
}
