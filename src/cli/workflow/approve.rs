//! `canonry workflow approve`

use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::workflow::approve::{self, ApproveGateRequest};
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;

/// Decide at a gate, a human step, or after a failure
#[derive(Debug, clap::Args)]
#[command(after_help = "Recorded with git's committer. A second decision is refused (status 5).")]
pub struct WorkflowApproveArgs {
    /// Run
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Gate or step [default: the open question]
    #[arg(long, value_name = "NAME")]
    gate: Option<String>,
    /// Option [default: the affirmative one]
    #[arg(long, value_name = "VALUE")]
    option: Option<String>,
    /// Reason, which the next prompt of a rejected step contains
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// See [`approve::run`].
pub fn run(args: &WorkflowApproveArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let request = ApproveGateRequest {
        run: args.run.clone(),
        gate: args.gate.clone(),
        option: args.option.clone(),
        reason: args.reason.clone(),
    };
    out.message(&render::workflow::approve_to_text(&approve::run(&workspace, &request)?));
    Ok(Status::Done)
}
