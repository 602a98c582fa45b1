//! `canonry workflow run` and `canonry workflow resume`

use crate::app::workflow::resume::ResumeChoice;
use crate::app::workflow::run::{self, RunEnd};
use crate::app::{Environment, Error, Workspace};
use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::run_options::{RunDisplay, RunOptions};
use crate::cli::status::Status;
use crate::render::workflow::run as text;
use crate::view::Basis;

const STATUSES: &str = "The exit status is 0 if the workflow is complete, 1 if it was aborted, 2 if a limit \
                        of steps (--once included), iterations or the budget is reached or every tool waits for the end of a usage limit, 3 if a person \
                        is needed, 4 if another process runs it, 65 if the definition changed and the run cannot follow, 130 if it was \
                        stopped. Run it again to continue.";

/// Run a workflow with the commands in agent/owners.yaml, until it ends or a person is needed
#[derive(Debug, clap::Args)]
#[command(after_help = STATUSES)]
pub struct RunArgs {
    /// Run to continue
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// End after one step
    #[arg(long)]
    once: bool,
    /// End after this many steps
    #[arg(short = 'm', long, value_name = "N", conflicts_with = "once")]
    max_steps: Option<u64>,
    /// Start the workflow again until this condition on its outputs holds, such as `tests.passed`
    #[arg(long, value_name = "CONDITION", conflicts_with = "once")]
    until: Option<String>,
    /// Most iterations of --until [default: 10]
    #[arg(long, value_name = "N", requires = "until")]
    iterations: Option<u64>,
    #[command(flatten)]
    options: RunOptions,
}

/// Continue a run whose workflow changed, or that was killed
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A workflow with the same structure and a raised PATCH version continues on the new definition; with a raised MINOR \
                  version, on the one that the run began with. Anything else is refused (65) without one of the options."
)]
pub struct ResumeArgs {
    /// Run to continue
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Continue on the definition that the run began with
    #[arg(long, conflicts_with_all = ["restart", "migrate"])]
    snapshot: bool,
    /// Start again from the first step, on the current definition
    #[arg(long, conflicts_with = "migrate")]
    restart: bool,
    /// Continue on the current definition from where the run is
    #[arg(long)]
    migrate: bool,
    #[command(flatten)]
    options: RunOptions,
}

/// Runs `workflow run`.
///
/// # Errors
/// See [`run::run`].
pub fn run(args: &RunArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let request = run::Request {
        run: args.run.clone(),
        once: args.once,
        max_steps: args.max_steps,
        until: args.until.clone(),
        iterations: args.iterations,
        limits: args.options.limits(),
        resume: ResumeChoice::ByVersion,
    };
    execute(&request, args.options.format, env, out)
}

/// Runs `workflow resume`.
///
/// # Errors
/// See [`run::run`].
pub fn resume(args: &ResumeArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let resume = match (args.snapshot, args.restart, args.migrate) {
        (true, ..) => ResumeChoice::Snapshot,
        (_, true, _) => ResumeChoice::Restart,
        (.., true) => ResumeChoice::Migrate,
        _ => ResumeChoice::ByVersion,
    };
    let request =
        run::Request { run: args.run.clone(), limits: args.options.limits(), resume, ..run::Request::default() };
    execute(&request, args.options.format, env, out)
}

fn execute(request: &run::Request, format: Format, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let display = RunDisplay::new(out, format, text::event_to_text, text::event_to_json);
    let outcome = run::run(workspace, request, &display)?;
    drop(display);
    out.result(&match format {
        Format::Human => text::outcome_to_text(&outcome),
        Format::Json => text::outcome_to_json(&outcome),
    });
    Ok(match outcome.end {
        RunEnd::Complete => Status::Done,
        RunEnd::Aborted(_) => Status::Findings,
        RunEnd::Limit(_) | RunEnd::WaitingUntil(_) => Status::Limit,
        RunEnd::NeedsPerson(_) | RunEnd::Inline(_) | RunEnd::SameFailure(_) => Status::Person,
        RunEnd::Interrupted => Status::Interrupted,
    })
}
