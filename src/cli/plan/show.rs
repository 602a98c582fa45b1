//! `canonry plan show`

use crate::cli::format::{Format, GraphSyntax};
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::plan::show;
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;

/// Show steps, owners and statuses, and what each step waits for
#[derive(Debug, clap::Args)]
pub struct PlanShowArgs {
    /// Plan
    #[arg(value_name = "PLAN")]
    plan: Option<String>,
    /// Print the dependency graph
    #[arg(long, value_enum, value_name = "SYNTAX", conflicts_with = "format")]
    graph: Option<GraphSyntax>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// See [`show::run`].
pub fn run(args: &PlanShowArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let outcome = show::run(&workspace, args.plan.as_deref())?;
    out.result(&match (args.graph, args.format) {
        (Some(GraphSyntax::Mermaid), _) => render::plan::graph::to_mermaid(&outcome),
        (Some(GraphSyntax::Svg), _) => render::plan::graph::to_svg(&outcome),
        (None, Format::Json) => render::plan::show::to_json(&outcome),
        (None, Format::Human) => render::plan::show::to_text(&outcome, out.style),
    });
    Ok(Status::Done)
}
