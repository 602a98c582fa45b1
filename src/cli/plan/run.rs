//! `canonry plan run` and `canonry plan exec`

use super::target;
use crate::app::plan::run::event::{Observer, RunEvent, WorkerState};
use crate::app::plan::run::{self, Outcome, RunEnd};
use crate::app::plan::waves;
use crate::app::{Environment, Error, Workspace};
use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use crate::view::Basis;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::cell::RefCell;
use std::io::IsTerminal as _;

const STATUSES: &str = "The exit status is 0 if everything is complete, 2 if a limit of the budget is reached or every tool waits \
                        for the end of a usage limit, 3 if a person is needed, 4 if the remaining steps are claimed or in progress elsewhere, \
                        130 if it was stopped. Run it again to continue.";

/// Execute the ready steps of a plan with the commands in agent/owners.yaml, until nothing is left to do
#[derive(Debug, clap::Args)]
#[command(after_help = STATUSES)]
pub struct RunArgs {
    /// Plan to execute
    #[arg(value_name = "PLAN")]
    plan: Option<String>,
    #[command(flatten)]
    limits: Limits,
    /// Print the order of the steps, their commands and prompts, and start nothing
    #[arg(long)]
    dry_run: bool,
}

/// Execute one step of a plan, as `run` would; does nothing if it is complete
#[derive(Debug, clap::Args)]
#[command(override_usage = "canonry plan exec [OPTIONS] [PLAN] <STEP>", after_help = STATUSES)]
pub struct ExecArgs {
    /// Plan, which may be left out if there is only one; id of the step
    #[arg(value_name = "PLAN STEP", num_args = 1..=2, required = true)]
    words: Vec<String>,
    #[command(flatten)]
    limits: Limits,
}

#[derive(Debug, clap::Args)]
struct Limits {
    /// Most workers at a time, instead of the budget's
    #[arg(long, value_name = "N")]
    workers: Option<usize>,
    /// Most minutes, instead of the budget's
    #[arg(long, value_name = "N")]
    minutes: Option<u64>,
    /// Most attempts, instead of the budget's
    #[arg(long, value_name = "N")]
    attempts: Option<u64>,
    /// End instead of waiting for the end of a usage limit
    #[arg(long)]
    no_wait: bool,
    /// Output format; json prints one document per event
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Runs `plan run`.
///
/// # Errors
/// See [`run::run`].
pub fn run(args: &RunArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    if args.dry_run {
        let workspace = Workspace::open(env, &Basis::WorkTree)?;
        let request = waves::Request { plan: args.plan.clone(), workers: args.limits.workers };
        let outcome = waves::run(&workspace, &request)?;
        out.result(&match args.limits.format {
            Format::Human => render::plan::waves::to_text(&outcome),
            Format::Json => render::plan::waves::to_json(&outcome),
        });
        return Ok(Status::Done);
    }
    execute(args.plan.clone(), None, &args.limits, env, out)
}

/// Runs `plan exec`.
///
/// # Errors
/// See [`run::run`].
pub fn exec(args: &ExecArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let (plan, step) = target(&args.words);
    execute(plan, Some(step), &args.limits, env, out)
}

fn execute(
    plan: Option<String>,
    only: Option<String>,
    limits: &Limits,
    env: &Environment,
    out: &Out<'_>,
) -> Result<Status, Error> {
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let request = run::Request {
        plan,
        only,
        workers: limits.workers,
        minutes: limits.minutes,
        attempts: limits.attempts,
        no_wait: limits.no_wait,
    };
    let outcome = match limits.format {
        Format::Json => run::run(&workspace, &request, &JsonLines(out))?,
        Format::Human if std::io::stderr().is_terminal() => {
            let live = Live { out, bars: MultiProgress::new(), lines: RefCell::default() };
            run::run(&workspace, &request, &live)?
        }
        Format::Human => run::run(&workspace, &request, &Lines(out))?,
    };
    out.result(&match limits.format {
        Format::Human => render::plan::run::outcome_to_text(&outcome),
        Format::Json => render::plan::run::outcome_to_json(&outcome),
    });
    Ok(status(&outcome))
}

fn status(outcome: &Outcome) -> Status {
    match outcome.end {
        RunEnd::Complete => Status::Done,
        RunEnd::NeedsPerson(_) => Status::Person,
        RunEnd::Budget(_) | RunEnd::WaitingUntil(_) => Status::Limit,
        RunEnd::HeldElsewhere(_) => Status::Contention,
        RunEnd::NotReady(_) => Status::Refused,
        RunEnd::Interrupted => Status::Interrupted,
    }
}

/// One JSON document per event, on stdout.
struct JsonLines<'o, 'a>(&'o Out<'a>);

impl Observer for JsonLines<'_, '_> {
    fn event(&self, event: &RunEvent) {
        self.0.result(&render::plan::run::event_to_json(event));
    }
}

/// One line per event, on stderr.
struct Lines<'o, 'a>(&'o Out<'a>);

impl Observer for Lines<'_, '_> {
    fn event(&self, event: &RunEvent) {
        self.0.remark(&render::plan::run::event_to_text(event));
    }
}

/// In a terminal: the events, and below them one line per worker.
struct Live<'o, 'a> {
    out: &'o Out<'a>,
    bars: MultiProgress,
    lines: RefCell<Vec<ProgressBar>>,
}

impl Observer for Live<'_, '_> {
    fn event(&self, event: &RunEvent) {
        self.bars.suspend(|| self.out.remark(&render::plan::run::event_to_text(event)));
    }

    fn tick(&self, workers: &[WorkerState]) {
        let mut lines = self.lines.borrow_mut();
        while lines.len() > workers.len() {
            if let Some(line) = lines.pop() {
                line.finish_and_clear();
                self.bars.remove(&line);
            }
        }
        while lines.len() < workers.len() {
            let line = self.bars.add(ProgressBar::new_spinner());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
                line.set_style(style);
            }
            lines.push(line);
        }
        for (line, worker) in lines.iter().zip(workers) {
            line.set_message(render::plan::run::worker_to_text(worker));
            line.tick();
        }
    }
}
