//! `canonry recall`

use super::format::Format;
use super::output::Out;
use super::status::Status;
use super::time::parse_now;
use crate::render;
use canonry_app::{
    Environment, Error, Workspace,
    recall::{self, RecallRequest},
};

/// Print lessons, decisions and episodes that match a text
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: canonry recall -k 3 'deploy failed after the migration'")]
pub struct RecallArgs {
    /// Task, question or error message
    #[arg(value_name = "TEXT", required = true)]
    text: Vec<String>,
    /// Maximum number of results
    #[arg(short = 'k', long, value_name = "N", default_value_t = 5)]
    top: usize,
    /// Maximum number of tokens
    #[arg(long, value_name = "TOKENS", default_value_t = 1_000)]
    budget: usize,
    /// Also search archived episodes
    #[arg(long)]
    snapshots: bool,
    /// Current time, as RFC 3339
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &RecallArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let request = RecallRequest {
        text: args.text.join(" "),
        top: args.top,
        budget: args.budget,
        snapshots: args.snapshots,
        now: parse_now(args.now.as_deref())?,
    };
    let workspace = Workspace::open_canon(env)?;
    let outcome = recall::run(&workspace, &request, out)?;
    match args.format {
        Format::Json => out.result(&render::recall::to_json(&outcome)),
        Format::Human if outcome.hits.is_empty() => out.remark(&render::recall::no_hits(&outcome)),
        Format::Human => out.result(&render::recall::to_text(&outcome)),
    }
    out.remark(&render::recall::unreadable_lines(&outcome));
    Ok(Status::Done)
}
