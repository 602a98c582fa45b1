//! `canonry plan`: one file per subcommand.

mod approve;
mod check;
mod claim;
mod export;
mod finish;
mod new;
mod next;
mod release;
mod report;
mod run;
mod set;
mod show;
mod status;
mod verify;

use super::output::Out;
use super::status::Status;
use canonry_app::{Environment, Error};

/// Plan work in steps, and let agents execute them
#[derive(Debug, clap::Args)]
#[command(after_help = "PLAN is a folder in agent/plans/, a plan file, or an id; optional if there is only one plan.")]
pub struct PlanArgs {
    #[command(subcommand)]
    command: PlanCommand,
}

#[derive(Debug, clap::Subcommand)]
enum PlanCommand {
    New(new::PlanNewArgs),
    Check(check::PlanCheckArgs),
    Show(show::PlanShowArgs),
    Next(next::PlanNextArgs),
    Claim(claim::PlanClaimArgs),
    Release(release::PlanReleaseArgs),
    Set(set::PlanSetArgs),
    Finish(finish::PlanFinishArgs),
    Approve(approve::PlanApproveArgs),
    Exec(run::ExecArgs),
    Run(run::PlanRunArgs),
    Status(status::PlanStatusArgs),
    Verify(verify::PlanVerifyArgs),
    Report(report::PlanReportArgs),
    Export(export::PlanExportArgs),
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &PlanArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    match &args.command {
        PlanCommand::New(args) => new::run(args, env, out),
        PlanCommand::Check(args) => check::run(args, env, out),
        PlanCommand::Show(args) => show::run(args, env, out),
        PlanCommand::Next(args) => next::run(args, env, out),
        PlanCommand::Claim(args) => claim::run(args, env, out),
        PlanCommand::Release(args) => release::run(args, env, out),
        PlanCommand::Set(args) => set::run(args, env, out),
        PlanCommand::Finish(args) => finish::run(args, env, out),
        PlanCommand::Approve(args) => approve::run(args, env, out),
        PlanCommand::Exec(args) => run::exec(args, env, out),
        PlanCommand::Run(args) => run::run(args, env, out),
        PlanCommand::Status(args) => status::run(args, env, out),
        PlanCommand::Verify(args) => verify::run(args, env, out),
        PlanCommand::Report(args) => report::run(args, env, out),
        PlanCommand::Export(args) => export::run(args, env, out),
    }
}

/// The plan, if it is named, and the step of `[PLAN] STEP`.
fn target(words: &[String]) -> (Option<String>, String) {
    match words {
        [plan, step] => (Some(plan.clone()), step.clone()),
        _ => (None, words.first().cloned().unwrap_or_default()),
    }
}
