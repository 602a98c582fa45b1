//! `canonry workflow status`

use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::cli::watch::{self, Look};
use crate::render;
use canonry_app::workflow::status::{self, RunStatusRequest};
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;

/// Show the state of a run
#[derive(Debug, clap::Args)]
#[command(after_help = "Without RUN: the open runs, or else the last one.")]
pub struct WorkflowStatusArgs {
    /// Run
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// List all runs
    #[arg(long, conflicts_with = "run")]
    all: bool,
    /// Repeat until the run ends
    #[arg(long)]
    watch: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// See [`status::run`].
pub fn run(args: &WorkflowStatusArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let mut run = args.run.clone();
    watch::show(args.watch, args.format, env, out, || {
        let workspace = Workspace::open(env, &Basis::WorkTree)?;
        let outcome = status::run(&workspace, &RunStatusRequest { run: run.clone(), all: args.all })?;
        if let ([only], true) = (outcome.runs.as_slice(), outcome.is_single) {
            // The last look shows how this run ended, not another one.
            run = Some(only.run.clone());
        }
        let text = match args.format {
            Format::Human => render::workflow::status::to_text(&outcome),
            Format::Json => render::workflow::status::to_json(&outcome),
        };
        Ok(Look { text, is_final: outcome.runs.iter().all(status::RunStatus::is_ended) })
    })
}
