//! `canonry plan next`

use super::claim::ClaimantArgs;
use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::plan::next;
use canonry_app::plan::next::NextStep;
use canonry_app::{Environment, Error, ErrorKind, Workspace};
use canonry_repo::view::Basis;

/// Print the first ready step
#[derive(Debug, clap::Args)]
#[command(after_help = "Exits with 3 if a person must unblock a step, and with 4 if all ready steps are claimed.")]
pub struct PlanNextArgs {
    /// Plan
    #[arg(value_name = "PLAN")]
    plan: Option<String>,
    /// Claim the first free step
    #[arg(long)]
    claim: bool,
    #[command(flatten)]
    claimant: ClaimantArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// See [`next::run`].
pub fn run(args: &PlanNextArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    if !args.claim && args.claimant.is_given() {
        return Err(Error::new(ErrorKind::Usage, "`--as` and `--ttl` are about a claim").help("add `--claim`"));
    }
    let claimant = args.claim.then(|| args.claimant.claimant());
    let outcome = next::run(&workspace, args.plan.as_deref(), claimant.as_ref())?;
    out.result(&match args.format {
        Format::Json => render::plan::next::to_json(&outcome),
        Format::Human => render::plan::next::to_text(&outcome),
    });
    Ok(match outcome.next {
        NextStep::NeedsPerson(_) => Status::Person,
        NextStep::Ready(_) | NextStep::InProgress(_) | NextStep::Complete => Status::Done,
    })
}
