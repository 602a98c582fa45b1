//! `canonry plan claim`

use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::plan::claim::{self, ClaimStepRequest};
use canonry_app::{Environment, Error, ErrorKind, Workspace};
use canonry_repo::view::Basis;

/// Claim a step for one worker
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "canonry plan claim [OPTIONS] [PLAN] <STEP>",
    after_help = "Exits with 4 if another worker holds the claim, and with 5 if the step is not ready."
)]
pub struct PlanClaimArgs {
    /// Plan and step
    #[arg(value_name = "PLAN STEP", num_args = 1..=2, required = true)]
    words: Vec<String>,
    #[command(flatten)]
    claimant: ClaimantArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// For whom a step is claimed.
#[derive(Debug, clap::Args)]
pub struct ClaimantArgs {
    /// Name of the worker [default: USER@HOST, never renewed]
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
    /// Duration, such as 90s or 2h [default: `plans.claim_ttl`]
    #[arg(long, value_name = "TIME")]
    ttl: Option<String>,
}

impl ClaimantArgs {
    /// Whether an option was given.
    pub fn is_given(&self) -> bool {
        self.name.is_some() || self.ttl.is_some()
    }

    pub fn claimant(&self) -> claim::Claimant {
        claim::Claimant { holder: self.name.clone(), ttl: self.ttl.clone() }
    }
}

/// Runs the command.
///
/// # Errors
/// See [`claim::run`].
pub fn run(args: &PlanClaimArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let (plan, step) = plan_and_step(&args.words)?;
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let outcome = claim::run(&workspace, &ClaimStepRequest { plan, step, claimant: args.claimant.claimant() })?;
    out.result(&match args.format {
        Format::Json => render::plan::claim::to_json(&outcome),
        Format::Human => render::plan::claim::to_text(&outcome),
    });
    Ok(Status::Done)
}

/// The optional plan and the step.
///
/// # Errors
/// [`ErrorKind::Usage`] if there are other words.
pub fn plan_and_step(words: &[String]) -> Result<(Option<String>, String), Error> {
    match words {
        [step] => Ok((None, step.clone())),
        [plan, step] => Ok((Some(plan.clone()), step.clone())),
        _ => Err(Error::new(ErrorKind::Usage, "a step is required")),
    }
}
