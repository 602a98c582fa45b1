//! `canonry plan`: one file per subcommand.

mod claim;
mod next;
mod release;
mod set;
mod show;

use super::output::Out;
use super::status::Status;
use crate::app::{Environment, Error};

/// Show a plan, find and claim the step that is ready, and change the status of a step
#[derive(Debug, clap::Args)]
#[command(
    after_help = "PLAN is the name of a folder in agent/plans/ with a plan.yaml, otherwise the file name without its extension; \
                        it may be left out if there is only one plan."
)]
pub struct Args {
    #[command(subcommand)]
    command: PlanCommand,
}

#[derive(Debug, clap::Subcommand)]
enum PlanCommand {
    Show(show::Args),
    Next(next::Args),
    Claim(claim::Args),
    Release(release::Args),
    Set(set::Args),
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    match &args.command {
        PlanCommand::Show(args) => show::run(args, env, out),
        PlanCommand::Next(args) => next::run(args, env, out),
        PlanCommand::Claim(args) => claim::run(args, env, out),
        PlanCommand::Release(args) => release::run(args, env, out),
        PlanCommand::Set(args) => set::run(args, env, out),
    }
}
