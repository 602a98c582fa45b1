//! `canonry plan finish`

use super::target;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::plan::finish::{self, FinishStepRequest, StepResult};
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;

/// Finish a step: run its commands, report, and set the status
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "canonry plan finish [OPTIONS] [PLAN] <STEP>",
    after_help = "Exits with 1, and records nothing, if one of its `Run:` commands fails."
)]
pub struct PlanFinishArgs {
    /// Plan and step
    #[arg(value_name = "PLAN STEP", num_args = 1..=2, required = true)]
    words: Vec<String>,
    /// Summary; required without a report of yours
    #[arg(long, value_name = "TEXT")]
    details: Option<String>,
    /// Reason of a failure that another attempt may fix
    #[arg(long, value_name = "REASON", conflicts_with = "blocked")]
    failed: Option<String>,
    /// Reason that needs someone else
    #[arg(long, value_name = "REASON")]
    blocked: Option<String>,
    /// Token printed by `canonry plan claim`
    #[arg(long, value_name = "TOKEN")]
    claim: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// See [`finish::run`].
pub fn run(args: &PlanFinishArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let (plan, step) = target(&args.words);
    let result = match (&args.failed, &args.blocked) {
        (Some(reason), _) => StepResult::Failed(reason.clone()),
        (None, Some(reason)) => StepResult::Blocked(reason.clone()),
        (None, None) => StepResult::Done,
    };
    let request = FinishStepRequest { plan, step, result, details: args.details.clone(), claim: args.claim.clone() };
    let outcome = finish::run(&workspace, &request)?;
    out.message(&render::plan::changes::finished(&outcome));
    Ok(if outcome.failure.is_some() { Status::Findings } else { Status::Done })
}
