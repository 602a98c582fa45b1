//! `canonry plan export`

use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::plan::export::{self, ExportOptions, ExportPlanRequest, ExportTarget};
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;
use std::path::PathBuf;

/// Export a plan to CI: one job per step
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`canonry check` reports an outdated export in .github/workflows or agent/exports. Export to the same file to update it."
)]
pub struct PlanExportArgs {
    /// Plan
    #[arg(value_name = "PLAN")]
    plan: Option<String>,
    /// Engine
    #[arg(long, value_enum, value_name = "ENGINE")]
    to: ExportTarget,
    /// Output file [default: stdout]; edited files are kept
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// For github-actions: runner with the workers' tools [default: ubuntu-latest]
    #[arg(long, value_name = "LABEL")]
    runs_on: Option<String>,
    /// For argo: image with canonry, git and the workers' tools
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,
    /// For argo: repository to clone
    #[arg(long, value_name = "URL")]
    repository: Option<String>,
    /// Secret for the workers, as an environment variable (repeatable)
    #[arg(long = "secret", value_name = "NAME")]
    secrets: Vec<String>,
    /// Maximum minutes of a job [default: 120]
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(u32).range(1..=35_000))]
    timeout: Option<u32>,
}

/// Runs the command.
///
/// # Errors
/// See [`export::run`].
pub fn run(args: &PlanExportArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let outcome = export::run(&workspace, &request(args))?;
    out.result(&match &args.output {
        Some(file) => render::plan::changes::exported(&outcome, &file.display().to_string()),
        None => outcome.text,
    });
    Ok(Status::Done)
}

fn request(args: &PlanExportArgs) -> ExportPlanRequest {
    ExportPlanRequest {
        plan: args.plan.clone(),
        to: args.to,
        options: ExportOptions {
            version: None,
            runs_on: args.runs_on.clone(),
            image: args.image.clone(),
            repository: args.repository.clone(),
            secrets: args.secrets.clone(),
            timeout: args.timeout,
        },
        output: args.output.clone(),
    }
}
