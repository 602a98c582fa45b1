//! `canonry plan approve`

use super::target;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::plan::approve::{self, ApproveStepRequest};
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;

/// Approve a step that the plan or the permissions mark for approval
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "canonry plan approve --reason <TEXT> [PLAN] <STEP>",
    after_help = "The approval records who gave it (git's committer), when and why, in agent/approvals/. It covers the step as it is \
                  now: if its description, owner, criteria, commands, files or risk notes change, it must be approved again. A \
                  second approval is refused (status 5)."
)]
pub struct PlanApproveArgs {
    /// Plan, which may be left out if there is only one; id of the step
    #[arg(value_name = "PLAN STEP", num_args = 1..=2, required = true)]
    words: Vec<String>,
    /// Why you approve the step
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
