//! `canonry plan approve`

use super::target;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::plan::approve::{self, ApproveStepRequest};
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;

/// Approve a step
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "canonry plan approve --reason <TEXT> [PLAN] <STEP>",
    after_help = "Recorded in agent/approvals/. A step that changes must be approved again."
)]
pub struct PlanApproveArgs {
    /// Plan and step
    #[arg(value_name = "PLAN STEP", num_args = 1..=2, required = true)]
    words: Vec<String>,
    /// Reason
    #[arg(long, value_name = "TEXT", required = true)]
    reason: String,
}

/// Runs the command.
///
/// # Errors
/// See [`approve::run`].
pub fn run(args: &PlanApproveArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let (plan, step) = target(&args.words);
    let request = ApproveStepRequest { plan, step, reason: args.reason.clone() };
    out.message(&render::plan::changes::approved(&approve::run(&workspace, &request)?));
    Ok(Status::Done)
}
