//! `canonry plan set`

use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::plan::{
    StepStatus,
    set::{self, SetStatusRequest},
};
use canonry_app::{Environment, Error, ErrorKind, Workspace};
use canonry_repo::view::Basis;

/// Change the status of a step
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "canonry plan set [OPTIONS] [PLAN] <STEP> <STATUS>",
    after_help = "`complete` needs a valid report of success; it does not run the step's commands. Other transitions are refused (status 5)."
)]
pub struct PlanSetArgs {
    /// Plan, step, and pending, in_progress, complete or blocked
    #[arg(value_name = "PLAN STEP STATUS", num_args = 2..=3, required = true)]
    words: Vec<String>,
    /// Reason; required to reopen a blocked or complete step
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Id of a remedial step to insert before it
    #[arg(long, value_name = "ID", requires = "reason")]
    remedy: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// See [`set::run`]; [`ErrorKind::Usage`] if the arguments are not a step and a status.
pub fn run(args: &PlanSetArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let request = set_request(args)?;
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    out.message(&render::plan::changes::status_set(&set::run(&workspace, &request)?));
    Ok(Status::Done)
}

fn set_request(args: &PlanSetArgs) -> Result<SetStatusRequest, Error> {
    let usage = |message: String, help: String| Error::new(ErrorKind::Usage, message).help(help);
    let (plan, step, status) = match args.words.as_slice() {
        [plan, step, status] => (Some(plan.clone()), step, status),
        [step, status] => (None, step, status),
        _ => {
            return Err(usage(
                "a step and a status are required".to_owned(),
                "see `canonry plan set --help`".to_owned(),
            ));
        }
    };
    let Some(status) = StepStatus::from_word(status) else {
        let valid = StepStatus::VALID.map(StepStatus::as_str).join(", ");
        return Err(usage(format!("`{status}` is not a status"), format!("valid statuses are {valid}")));
    };
    Ok(SetStatusRequest { plan, step: step.clone(), status, reason: args.reason.clone(), remedy: args.remedy.clone() })
}
