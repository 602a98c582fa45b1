//! `canonry workflow lessons`

use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::workflow::lessons::{self, WorkflowLessonsRequest};
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;

/// Stage the reasons of rejections for review
#[derive(Debug, clap::Args)]
#[command(after_help = "Continue with `canonry memory review`.")]
pub struct WorkflowLessonsArgs {
    /// Run [default: all]
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Write nothing; show the causes
    #[arg(long)]
    dry_run: bool,
    /// Do not commit
    #[arg(long)]
    no_commit: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// See [`lessons::run`].
pub fn run(args: &WorkflowLessonsArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let request = WorkflowLessonsRequest { run: args.run.clone(), dry_run: args.dry_run, no_commit: args.no_commit };
    let outcome = lessons::run(&workspace, &request, out)?;
    out.result(&match args.format {
        Format::Human => render::workflow::lessons::to_text(&outcome),
        Format::Json => render::workflow::lessons::to_json(&outcome),
    });
    Ok(Status::Done)
}
