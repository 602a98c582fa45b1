//! `canonry plan new`

use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::plan::new::{self, NewPlanRequest};
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;

/// Begin a plan: write an intake to fill in, then a plan with one step per acceptance criterion
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Run it twice: the first run writes agent/plans/ID/intake.md; once the intake has acceptance criteria and no open \
                  question, the second run writes agent/plans/ID/plan.yaml. Existing files are never overwritten (status 5)."
)]
pub struct PlanNewArgs {
    /// Id of the new plan: lower-case words with hyphens, such as rate-limit-uploads
    #[arg(value_name = "ID")]
    id: String,
    /// Write the plan from the intake; fail if there is no intake
    #[arg(long, conflicts_with = "template")]
    from_intake: bool,
    /// Copy a plan with every step pending: the id of a plan, or a plan file of this repository
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
