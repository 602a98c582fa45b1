//! `canonry plan new`

use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::plan::new::{self, NewPlanRequest};
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;

/// Create an intake, then a plan from its acceptance criteria
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Fill in agent/plans/ID/intake.md, then run the command again. Existing files are never overwritten (status 5)."
)]
pub struct PlanNewArgs {
    /// Id, such as rate-limit-uploads
    #[arg(value_name = "ID")]
    id: String,
    /// Require an intake
    #[arg(long, conflicts_with = "template")]
    from_intake: bool,
    /// Plan to copy, with every step pending
    #[arg(long, value_name = "PLAN|FILE")]
    template: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// See [`new::run`].
pub fn run(args: &PlanNewArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let request =
        NewPlanRequest { id: args.id.clone(), from_intake: args.from_intake, template: args.template.clone() };
    out.message(&render::plan::changes::created(&new::run(&workspace, &request)?));
    Ok(Status::Done)
}
