//! `canonry plan`: one file per subcommand.

mod check;
mod export;
mod new;
mod next;
mod report;
mod set;
mod show;

use super::output::Out;
use super::status::Status;
use crate::app::{Environment, Error};

/// Begin, check and show plans, find the step that is ready, change the status of a step, report and export
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
    New(new::Args),
    Check(check::Args),
    Show(show::Args),
    Next(next::Args),
    Set(set::Args),
    Report(report::Args),
    Export(export::Args),
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    match &args.command {
        PlanCommand::New(args) => new::run(args, env, out),
        PlanCommand::Check(args) => check::run(args, env, out),
        PlanCommand::Show(args) => show::run(args, env, out),
        PlanCommand::Next(args) => next::run(args, env, out),
        PlanCommand::Set(args) => set::run(args, env, out),
        PlanCommand::Report(args) => report::run(args, env, out),
        PlanCommand::Export(args) => export::run(args, env, out),
    }
}
