//! `canonry workflow log`

use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::workflow::log::LogReader;
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;
use std::time::Duration;

/// Pause between two looks of `--follow`.
const PAUSE: Duration = Duration::from_millis(200);

/// Show the events of a run, oldest first
#[derive(Debug, clap::Args)]
pub struct WorkflowLogArgs {
    /// Run
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Wait for more until the run ends
    #[arg(long)]
    follow: bool,
    /// Output format; `json` prints a document per event
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// See [`LogReader::read`].
pub fn run(args: &WorkflowLogArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let mut reader = LogReader::open(&workspace, args.run.as_deref())?;
    loop {
        let entries = reader.read()?;
        if !entries.is_empty() {
            out.result(&match args.format {
                Format::Human => render::workflow::journal_to_text(entries),
                Format::Json => render::workflow::journal_to_json(entries),
            });
        }
        if !args.follow || reader.is_ended() {
            return Ok(Status::Done);
        }
        if env.is_cancelled() {
            return Ok(Status::Interrupted);
        }
        std::thread::sleep(PAUSE);
    }
}
