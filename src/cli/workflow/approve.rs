//! `canonry workflow approve`

use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::workflow::approve::{self, ApproveGateRequest};
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;

/// Decide at a gate, at a step of a person, or after a failure
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The journal records who decided (git's committer), which option, when and why. A second decision is refused (status 5). \
                  Continue with `canonry workflow run` or `step`."
)]
pub struct WorkflowApproveArgs {
    /// Run
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Gate or step that waits, if the open question is not meant
    #[arg(long, value_name = "NAME")]
    gate: Option<String>,
    /// Option to choose; the affirmative one by default, if there is one
    #[arg(long, value_name = "VALUE")]
    option: Option<String>,
    /// Why; the next prompt of a rejected step contains it
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
