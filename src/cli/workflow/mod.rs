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
use canonry_app::{Environment, Error};

/// Run workflows with routes and gates
#[derive(Debug, clap::Args)]
#[command(
    after_help = "WORKFLOW is a file in agent/workflows/ without its extension. RUN is the id that `start` prints; optional if only one run is open."
)]
pub struct WorkflowArgs {
    #[command(subcommand)]
    command: WorkflowCommand,
}

#[derive(Debug, clap::Subcommand)]
enum WorkflowCommand {
    Check(check::WorkflowCheckArgs),
    Graph(graph::WorkflowGraphArgs),
    Start(start::WorkflowStartArgs),
    Run(run::WorkflowRunArgs),
    Step(step::WorkflowStepArgs),
    Decide(decide::WorkflowDecideArgs),
    Approve(approve::WorkflowApproveArgs),
    Abort(abort::WorkflowAbortArgs),
    Status(status::WorkflowStatusArgs),
    Log(log::WorkflowLogArgs),
    Report(report::WorkflowReportArgs),
    Lessons(lessons::WorkflowLessonsArgs),
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &WorkflowArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
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
