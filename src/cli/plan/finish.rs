//! `canonry plan finish`

use super::target;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::plan::finish::{self, FinishStepRequest, StepResult};
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;

/// End your work on a step: run its commands, write the report, and set the status
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "canonry plan finish [OPTIONS] [PLAN] <STEP>",
    after_help = "The step becomes complete only if each of its `Run:` commands exits 0 now; otherwise nothing is recorded and the exit \
                  status is 1. A report that you have written for this attempt is completed with the results."
)]
pub struct PlanFinishArgs {
    /// Plan, which may be left out if there is only one; id of the step
    #[arg(value_name = "PLAN STEP", num_args = 1..=2, required = true)]
    words: Vec<String>,
    /// Summary of the work and its findings; required if you have written no report
    #[arg(long, value_name = "TEXT")]
    details: Option<String>,
    /// It failed, and another attempt may help: why
    #[arg(long, value_name = "REASON", conflicts_with = "blocked")]
    failed: Option<String>,
    /// It cannot continue without someone else: why
    #[arg(long, value_name = "REASON")]
    blocked: Option<String>,
    /// Token of your claim, as `canonry plan claim` printed it
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
