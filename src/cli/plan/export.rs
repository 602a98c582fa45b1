//! `canonry plan export`

use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::install_text::ci::CiSource;
use canonry_app::plan::export::{self, ExportOptions, ExportPlanRequest, ExportTarget};
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;
use std::path::PathBuf;

/// Export a plan for another engine: one job per step, which calls `canonry plan exec`
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A file in .github/workflows or agent/exports is a mirror of its plan: `canonry check` reports when the plan has changed \
                  (plan-export-stale). Export to the same file again to update it; options that you leave out stay as they were."
)]
pub struct PlanExportArgs {
    /// Plan to export
    #[arg(value_name = "PLAN")]
    plan: Option<String>,
    /// Engine
    #[arg(long, value_enum, value_name = "ENGINE")]
    to: ExportTarget,
    /// Output file [default: stdout]; an existing file is replaced only if it is an export that nobody edited
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// For github-actions: git repository and full commit id that the jobs build canonry from
    #[arg(long, value_name = "URL@COMMIT")]
    source: Option<CiSource>,
    /// For github-actions: label of the runner, which must have the workers' tools [default: ubuntu-latest]
    #[arg(long, value_name = "LABEL")]
    runs_on: Option<String>,
    /// For argo: container image with canonry, git and the workers' tools
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,
    /// For argo: repository to clone
    #[arg(long, value_name = "URL")]
    repository: Option<String>,
    /// Secret that the workers get as an environment variable; can be repeated
    #[arg(long = "secret", value_name = "NAME")]
    secrets: Vec<String>,
    /// Minutes after which a job is ended [default: 120]
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
            source: args.source.as_ref().map(ToString::to_string),
            runs_on: args.runs_on.clone(),
            image: args.image.clone(),
            repository: args.repository.clone(),
            secrets: args.secrets.clone(),
            timeout: args.timeout,
        },
        output: args.output.clone(),
    }
}
