//! `canonry workflow step`

use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::workflow::step::{self, NextTask, NextTaskRequest};
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;

/// Begin the next step in this session, and print its prompt
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Give the answer to `canonry workflow decide`. Exits with 1 if the run was aborted, 2 at a limit, 3 if a person is needed, 4 if someone else does the step."
)]
pub struct WorkflowStepArgs {
    /// Run
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Take over the step of another session
    #[arg(long)]
    take_over: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// See [`step::run`].
pub fn run(args: &WorkflowStepArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let outcome = step::run(&workspace, &NextTaskRequest { run: args.run.clone(), take_over: args.take_over })?;
    if let (Format::Human, NextTask::Task { .. }) = (args.format, &outcome.next) {
        out.remark(&render::workflow::step::remark(&outcome));
    }
    out.result(&match args.format {
        Format::Human => render::workflow::step::to_text(&outcome),
        Format::Json => render::workflow::step::to_json(&outcome),
    });
    Ok(match outcome.next {
        NextTask::Task { .. } | NextTask::Complete => Status::Done,
        NextTask::NeedsPerson(_) => Status::Person,
        NextTask::StepLimit(_) => Status::Limit,
        NextTask::Aborted(_) => Status::Findings,
    })
}
