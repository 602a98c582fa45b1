//! `canonry plan status`

use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::cli::watch::{self, Look};
use crate::render;
use canonry_app::plan::status;
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;

/// Show attempts, claims, and waiting or blocked steps
#[derive(Debug, clap::Args)]
pub struct PlanStatusArgs {
    /// Plan
    #[arg(value_name = "PLAN")]
    plan: Option<String>,
    /// Repeat until the plan is complete
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
pub fn run(args: &PlanStatusArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    watch::show(args.watch, args.format, env, out, || {
        let workspace = Workspace::open(env, &Basis::WorkTree)?;
        let outcome = status::run(&workspace, args.plan.as_deref())?;
        let text = match args.format {
            Format::Human => render::plan::status::to_text(&outcome),
            Format::Json => render::plan::status::to_json(&outcome),
        };
        Ok(Look { text, is_final: outcome.complete == outcome.steps })
    })
}
