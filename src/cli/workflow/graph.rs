//! `canonry workflow graph`

use crate::cli::format::GraphSyntax;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::workflow::graph::{self, WorkflowGraphRequest};
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;

/// Draw a workflow, or the path of a run
#[derive(Debug, clap::Args)]
pub struct WorkflowGraphArgs {
    /// Workflow
    #[arg(value_name = "WORKFLOW", conflicts_with = "run")]
    workflow: Option<String>,
    /// Run whose path to draw
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = GraphSyntax::Mermaid)]
    format: GraphSyntax,
}

/// Runs the command.
///
/// # Errors
/// See [`graph::run`].
pub fn run(args: &WorkflowGraphArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let request = WorkflowGraphRequest { workflow: args.workflow.clone(), run: args.run.clone() };
    let outcome = graph::run(&workspace, &request)?;
    out.result(&match args.format {
        GraphSyntax::Mermaid => render::workflow::graph::to_mermaid(&outcome),
        GraphSyntax::Svg => render::workflow::graph::to_svg(&outcome),
    });
    Ok(Status::Done)
}
