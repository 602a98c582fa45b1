//! `canonry workflow abort`

use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::workflow::abort::{self, AbortRunRequest};
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;

/// Abort a run
#[derive(Debug, clap::Args)]
pub struct WorkflowAbortArgs {
    /// Run
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Reason
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// See [`abort::run`].
pub fn run(args: &WorkflowAbortArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let run = abort::run(&workspace, &AbortRunRequest { run: args.run.clone(), reason: args.reason.clone() })?;
    out.message(&render::workflow::abort_to_text(&run));
    Ok(Status::Done)
}
