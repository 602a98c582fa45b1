//! `canonry workflow lessons`

use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::workflow::lessons::{self, WorkflowLessonsRequest};
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;

/// Group the reasons for which steps were rejected, and stage each cause for review
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Each cause becomes a candidate in the review queue, with its rejections as episodes. `canonry memory review` shows the \
                  queue, and `canonry memory accept ID --to policy|agents|skill:NAME` puts a lesson where it takes effect."
)]
pub struct WorkflowLessonsArgs {
    /// Run; all runs by default
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Show the causes and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not commit the review queue
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
