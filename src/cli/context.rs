//! `canonry context`

use super::format::Format;
use super::output::Out;
use super::status::Status;
use super::time::parse_now;
use crate::render;
use canonry_app::{
    Environment, Error, Workspace,
    context::{self, ContextRequest},
};
use std::path::PathBuf;

/// Print the context that an agent reads before a task
#[derive(Debug, clap::Args)]
#[command(
    after_help = "What is never allowed is always whole, even over the budget. `--format json` lists what was left out."
)]
pub struct ContextArgs {
    /// Task to select skills and rank lessons for
    #[arg(long = "for", value_name = "TEXT")]
    task: Option<String>,
    /// Task in agent/tasks/: adds its requirements, spec, files and journal
    #[arg(long = "task", value_name = "ID")]
    task_id: Option<String>,
    /// File of the task: adds matching pages of agent/spec/ (repeatable)
    #[arg(long, value_name = "PATH")]
    file: Vec<PathBuf>,
    /// Maximum number of tokens
    #[arg(long, value_name = "TOKENS", default_value_t = 4_000)]
    budget: usize,
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
pub fn run(args: &ContextArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open_canon(env)?;
    let request = ContextRequest {
        task: args.task.clone().unwrap_or_default(),
        task_id: args.task_id.clone(),
        files: args.file.iter().map(|path| workspace.inside(path)).collect::<Result<_, _>>()?,
        budget: args.budget,
        now: parse_now(args.now.as_deref())?,
    };
    let outcome = context::run(&workspace, &request, out)?;
    match args.format {
        Format::Json => out.result(&render::context::to_json(&outcome)),
        Format::Human => {
            out.result(&outcome.text);
            out.remark(&render::context::summary(&outcome));
        }
    }
    Ok(Status::Done)
}
