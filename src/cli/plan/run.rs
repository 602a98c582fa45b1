//! `canonry plan run` and `canonry plan exec`

use super::target;
use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::run_options::{RunDisplay, RunOptions};
use crate::cli::status::Status;
use crate::render;
use crate::render::plan::run as text;
use canonry_app::plan::run::{self, PlanRunEnd, RunPlanOutcome, RunPlanRequest};
use canonry_app::plan::waves;
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;

const STATUSES: &str = "Exits with 0 if everything is complete, 2 at a limit, 3 if a person is needed, 4 if the remaining steps are claimed elsewhere. Run it again to continue.";

/// Execute a plan with the workers of agent/owners.yaml
#[derive(Debug, clap::Args)]
#[command(after_help = STATUSES)]
pub struct PlanRunArgs {
    /// Plan
    #[arg(value_name = "PLAN")]
    plan: Option<String>,
    #[command(flatten)]
    options: RunOptions,
    /// Start nothing more once a step is blocked
    #[arg(long)]
    fail_fast: bool,
    /// Print order, commands and prompts; start nothing
    #[arg(long)]
    dry_run: bool,
}

/// Execute one step; does nothing if it is complete
#[derive(Debug, clap::Args)]
#[command(override_usage = "canonry plan exec [OPTIONS] [PLAN] <STEP>", after_help = STATUSES)]
pub struct ExecArgs {
    /// Plan and step
    #[arg(value_name = "PLAN STEP", num_args = 1..=2, required = true)]
    words: Vec<String>,
    #[command(flatten)]
    options: RunOptions,
}

/// Runs `plan run`.
///
/// # Errors
/// See [`run::run`].
pub fn run(args: &PlanRunArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    if args.dry_run {
        let workspace = Workspace::open(env, &Basis::WorkTree)?;
        let outcome = waves::run(&workspace, args.plan.as_deref(), args.options.workers)?;
        out.result(&match args.options.format {
            Format::Human => render::plan::waves::to_text(&outcome),
            Format::Json => render::plan::waves::to_json(&outcome),
        });
        return Ok(Status::Done);
    }
    let request = RunPlanRequest {
        plan: args.plan.clone(),
        fail_fast: args.fail_fast,
        limits: args.options.limits(),
        ..RunPlanRequest::default()
    };
    execute(&request, args.options.format, env, out)
}

/// Runs `plan exec`.
///
/// # Errors
/// See [`run::run`].
pub fn exec(args: &ExecArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let (plan, step) = target(&args.words);
    let request = RunPlanRequest { plan, only: Some(step), limits: args.options.limits(), ..RunPlanRequest::default() };
    execute(&request, args.options.format, env, out)
}

fn execute(request: &RunPlanRequest, format: Format, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let display = RunDisplay::new(out, format, text::event_to_text, text::event_to_json);
    let outcome = run::run(&workspace, request, &display)?;
    drop(display);
    match format {
        Format::Human => out.message(&text::outcome_to_text(&outcome)),
        Format::Json => out.result(&text::outcome_to_json(&outcome)),
    }
    Ok(status(&outcome))
}

fn status(outcome: &RunPlanOutcome) -> Status {
    match outcome.end {
        PlanRunEnd::Complete => Status::Done,
        PlanRunEnd::NeedsPerson(_) => Status::Person,
        PlanRunEnd::Budget(_) | PlanRunEnd::WaitingUntil(_) => Status::Limit,
        PlanRunEnd::HeldElsewhere(_) => Status::Contention,
        PlanRunEnd::NotReady(_) => Status::Refused,
        PlanRunEnd::Interrupted => Status::Interrupted,
    }
}
