//! `canonry plan release`

use super::claim::plan_and_step;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::plan::release::Releaser;
use canonry_app::plan::release::{self, ReleaseClaimRequest};
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;

/// Release the claim on a step
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "canonry plan release [OPTIONS] [PLAN] <STEP>",
    after_help = "Exits with 4 if another worker holds the claim."
)]
pub struct PlanReleaseArgs {
    /// Plan and step
    #[arg(value_name = "PLAN STEP", num_args = 1..=2, required = true)]
    words: Vec<String>,
    /// Holder of the claim [default: USER@HOST]
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
    /// Token printed by `canonry plan claim`
    #[arg(long, value_name = "TOKEN", conflicts_with = "name")]
    token: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// See [`release::run`].
pub fn run(args: &PlanReleaseArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let (plan, step) = plan_and_step(&args.words)?;
    let releaser = match &args.token {
        Some(token) => Releaser::Token(token.clone()),
        None => Releaser::Holder(args.name.clone()),
    };
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let outcome = release::run(&workspace, &ReleaseClaimRequest { plan, step, releaser })?;
    out.message(&render::plan::changes::released(&outcome));
    Ok(Status::Done)
}
