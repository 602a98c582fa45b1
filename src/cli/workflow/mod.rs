//! `canonry workflow`: one file per subcommand.

mod abort;
mod approve;
mod check;
mod decide;
mod graph;
mod lessons;
mod log;
mod report;
mod run;
mod start;
mod status;
mod step;

use super::output::Out;
use super::status::Status;
use crate::app::{Environment, Error};

/// Work with workflows: check, start, run, decide, approve, follow and report them
#[derive(Debug, clap::Args)]
#[command(
    after_help = "WORKFLOW is the name of a file in agent/workflows/ without its extension. RUN is the id that `start` prints; it may be \
                  left out if only one run is open."
)]
pub struct Args {
    #[command(subcommand)]
    command: WorkflowCommand,
}

#[derive(Debug, clap::Subcommand)]
enum WorkflowCommand {
    Check(check::Args),
    Graph(graph::Args),
    Start(start::Args),
    Run(run::RunArgs),
    Step(step::Args),
    Decide(decide::Args),
    Approve(approve::Args),
    Abort(abort::Args),
    Status(status::Args),
    Log(log::Args),
    Report(report::Args),
    Lessons(lessons::Args),
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    match &args.command {
        WorkflowCommand::Check(args) => check::run(args, env, out),
        WorkflowCommand::Graph(args) => graph::run(args, env, out),
        WorkflowCommand::Start(args) => start::run(args, env, out),
        WorkflowCommand::Run(args) => run::run(args, env, out),
        WorkflowCommand::Step(args) => step::run(args, env, out),
        WorkflowCommand::Decide(args) => decide::run(args, env, out),
        WorkflowCommand::Approve(args) => approve::run(args, env, out),
        WorkflowCommand::Abort(args) => abort::run(args, env, out),
        WorkflowCommand::Status(args) => status::run(args, env, out),
        WorkflowCommand::Log(args) => log::run(args, env, out),
        WorkflowCommand::Report(args) => report::run(args, env, out),
        WorkflowCommand::Lessons(args) => lessons::run(args, env, out),
    }
}
