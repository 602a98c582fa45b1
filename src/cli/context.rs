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
use canonry_repo::view::Basis;
use std::path::PathBuf;

/// Print the context that an agent reads before a task
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The context contains, in this order: preferences, workspace, what is never allowed, matching skills, \
                  with --task or --file the task, spec, files and journal, the active plan, lessons, decisions, \
                  domain knowledge, episodes, failing skills, the other permissions. It fills the budget in this order; what is never \
                  allowed is not cut, even if the budget is smaller. Tokens are estimated by the kind of character. stderr \
                  says in one line what was left out; --format json lists it."
)]
pub struct ContextArgs {
    /// Task; it selects the skills and ranks the lessons and episodes
    #[arg(long = "for", value_name = "TEXT")]
    task: Option<String>,
    /// Task in agent/tasks/; prints its requirements, the spec, the files it names and its owner's journal
    #[arg(long = "task", value_name = "ID")]
    task_id: Option<String>,
    /// File that the work is about; prints the pages of agent/spec/ whose globs match; may be repeated
    #[arg(long, value_name = "PATH")]
    file: Vec<PathBuf>,
    /// Maximum size of the output, in tokens
    #[arg(long, value_name = "TOKENS", default_value_t = 4_000)]
    budget: usize,
    /// Use this time as the current time: RFC 3339, UTC if it has no zone
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
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    workspace.require_canon()?;
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
