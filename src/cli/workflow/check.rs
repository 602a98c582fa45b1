//! `canonry workflow check`

use crate::cli::check::{CheckFormat, print_findings, status};
use crate::cli::output::Out;
use crate::cli::status::Status;
use canonry_app::workflow::check;
use canonry_app::{Environment, Error};

/// Check one workflow, or all
#[derive(Debug, clap::Args)]
pub struct WorkflowCheckArgs {
    /// Workflow
    #[arg(value_name = "WORKFLOW")]
    workflow: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = CheckFormat::Human)]
    format: CheckFormat,
}

/// Runs the command.
///
/// # Errors
/// See [`check::run`].
pub fn run(args: &WorkflowCheckArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let report = check::run(env, args.workflow.as_deref(), out)?;
    print_findings(&report, args.format, out);
    Ok(status(&report))
}
