//! `canonry workflow start`

use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::workflow::start::{self, StartRunRequest};
use canonry_app::{Environment, Error, ErrorKind, Workspace};
use canonry_repo::view::Basis;
use std::collections::BTreeMap;

/// Create a run without executing it
#[derive(Debug, clap::Args)]
#[command(after_help = "Continue with `canonry workflow run` (starts workers) or `step` (this session does the work).")]
pub struct WorkflowStartArgs {
    /// Workflow
    #[arg(value_name = "WORKFLOW")]
    workflow: Option<String>,
    /// Task: {{task}} in the prompts [default: the next of agent/tasks]
    #[arg(long, value_name = "TEXT")]
    task: Option<String>,
    /// Value of a parameter (repeatable)
    #[arg(long = "set", value_name = "NAME=VALUE")]
    parameters: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// See [`start::run`].
pub fn run(args: &WorkflowStartArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let mut parameters = BTreeMap::new();
    for pair in &args.parameters {
        let (name, value) = pair.split_once('=').ok_or_else(|| {
            Error::new(ErrorKind::Usage, format!("`--set {pair}` has no value")).help("write `--set NAME=VALUE`")
        })?;
        parameters.insert(name.to_owned(), value.to_owned());
    }
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let request = StartRunRequest { workflow: args.workflow.clone(), task: args.task.clone(), parameters };
    let outcome = start::run(&workspace, &request)?;
    out.result(&match args.format {
        Format::Human => render::workflow::start_to_text(outcome.as_ref()),
        Format::Json => render::workflow::start_to_json(outcome.as_ref()),
    });
    Ok(Status::Done)
}
