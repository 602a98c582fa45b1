//! `canonry plan verify`

use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::plan::verify::{self, VerifyPlanRequest};
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;

/// Run the commands of every step again, in a clean checkout of the last commit
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Only a plan whose steps are all complete is verified. The results are written to verification.json beside the plan's \
                  reports; a step whose command fails is pending again, and the exit status is 1."
)]
pub struct PlanVerifyArgs {
    /// Plan to verify
    #[arg(value_name = "PLAN")]
    plan: Option<String>,
    /// Take the work of the steps that fail back by new commits; the history stays
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
