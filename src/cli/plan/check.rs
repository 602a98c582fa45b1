//! `canonry plan check`

use crate::cli::check::{CheckFormat, print_findings, status};
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::plan::check;
use canonry_app::{Environment, Error};

/// Check a plan and its reports, and name its phase
#[derive(Debug, clap::Args)]
#[command(after_help = "Phases: Intake, Plan, Execute, Verify, Report.")]
pub struct PlanCheckArgs {
    /// Plan
    #[arg(value_name = "PLAN")]
    plan: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = CheckFormat::Human)]
    format: CheckFormat,
}

/// Runs the command.
///
/// # Errors
/// See [`check::run`].
pub fn run(args: &PlanCheckArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let outcome = check::run(env, args.plan.as_deref(), out)?;
    print_findings(&outcome.report, args.format, out);
    let phase = render::plan::phase_line(&outcome.plan, &outcome.phase);
    match args.format {
        CheckFormat::Human => out.result(&phase),
        CheckFormat::Concise | CheckFormat::Json | CheckFormat::Sarif | CheckFormat::Github => out.remark(&phase),
    }
    Ok(status(&outcome.report))
}
