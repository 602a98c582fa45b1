//! `canonry plan status`

use crate::app::plan::status;
use crate::app::{Environment, Error, Workspace};
use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use crate::view::Basis;
use std::time::Duration;

/// Pause between two looks of `--watch`.
const PAUSE: Duration = Duration::from_millis(500);
/// Clears the terminal and moves to its top.
const CLEAR: &str = "\u{1b}[H\u{1b}[2J";

/// Show who works on a plan: attempts with their last output, claims, and steps that wait or are blocked
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Plan to look at
    #[arg(value_name = "PLAN")]
    plan: Option<String>,
    /// Repeat until the plan is complete or you press Ctrl-C
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
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let mut shown = String::new();
    loop {
        let workspace = Workspace::open(env, &Basis::WorkTree)?;
        let outcome = status::run(&workspace, &status::Request { plan: args.plan.clone() })?;
        let text = match args.format {
            Format::Human => render::plan::status::to_text(&outcome),
            Format::Json => render::plan::status::to_json(&outcome),
        };
        if text != shown {
            let is_live = args.watch && out.style.colour == render::human::Colour::Ansi;
            out.result(&if is_live && args.format == Format::Human { format!("{CLEAR}{text}") } else { text.clone() });
            shown = text;
        }
        if !args.watch || outcome.complete == outcome.steps {
            return Ok(Status::Done);
        }
        if env.is_cancelled() {
            return Ok(Status::Interrupted);
        }
        std::thread::sleep(PAUSE);
    }
}
