//! `canonry workflow run`

use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::run_options::{RunDisplay, RunOptions};
use crate::cli::status::Status;
use crate::render::workflow::{NO_TASKS, run as text};
use canonry_app::workflow::queue::{self, QueueOutcome};
use canonry_app::workflow::resume::ResumeChoice;
use canonry_app::workflow::run::{self, RunWorkflowRequest, WorkflowRunEnd};
use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;

const STATUSES: &str = "Exits with 0 if the workflow is complete, 1 if it was aborted, 2 at a limit, 3 if a person is needed, 4 if another process runs it, 65 if the workflow changed and the run cannot follow. Run it again to continue.";

/// Run a workflow with the workers of agent/owners.yaml
#[derive(Debug, clap::Args)]
#[command(after_help = STATUSES)]
pub struct WorkflowRunArgs {
    /// Run
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Run each ready task of agent/tasks with a workflow, until none is left
    #[arg(
        long,
        value_name = "WORKFLOW",
        num_args = 0..=1,
        default_missing_value = "",
        conflicts_with_all = ["run", "once", "max_steps"]
    )]
    queue: Option<String>,
    /// Stop after one step
    #[arg(long)]
    once: bool,
    /// Stop after this many steps (0: no limit)
    #[arg(short = 'm', long, value_name = "N", conflicts_with = "once")]
    max_steps: Option<u64>,
    /// Repeat the workflow until a condition holds, such as `tests.passed`
    #[arg(long, value_name = "CONDITION", conflicts_with = "once")]
    until: Option<String>,
    /// Maximum iterations of --until [default: 10]
    #[arg(long, value_name = "N", requires = "until")]
    iterations: Option<u64>,
    #[command(flatten)]
    resume: ResumeArgs,
    #[command(flatten)]
    options: RunOptions,
}

// The definition to continue on. Not a doc comment: clap would show it as the description of the command.
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
struct ResumeArgs {
    /// If the workflow changed: continue on the old definition
    #[arg(long)]
    snapshot: bool,
    /// If the workflow changed: start again on the new definition
    #[arg(long)]
    restart: bool,
    /// If the workflow changed: continue on the new definition
    #[arg(long)]
    migrate: bool,
}

impl ResumeArgs {
    fn choice(&self) -> ResumeChoice {
        if self.snapshot {
            ResumeChoice::Snapshot
        } else if self.restart {
            ResumeChoice::Restart
        } else if self.migrate {
            ResumeChoice::Migrate
        } else {
            ResumeChoice::ByVersion
        }
    }
}

/// Runs `workflow run`.
///
/// # Errors
/// See [`run::run`].
pub fn run(args: &WorkflowRunArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let request = RunWorkflowRequest {
        run: args.run.clone(),
        once: args.once,
        max_steps: args.max_steps,
        until: args.until.clone(),
        iterations: args.iterations,
        limits: args.options.limits(),
        resume: args.resume.choice(),
    };
    let format = args.options.format;
    let display = RunDisplay::new(out, format, text::event_to_text, text::event_to_json);
    let QueueOutcome { runs, is_empty } = match &args.queue {
        Some(workflow) => {
            let workflow = Some(workflow.as_str()).filter(|name| !name.is_empty());
            queue::run(env, workflow, &request, &display)?
        }
        None => {
            let outcome = run::run(Workspace::open(env, &Basis::WorkTree)?, &request, &display)?;
            QueueOutcome { runs: vec![outcome], is_empty: false }
        }
    };
    drop(display);
    for outcome in &runs {
        out.result(&match format {
            Format::Human => text::outcome_to_text(outcome),
            Format::Json => text::outcome_to_json(outcome),
        });
    }
    if is_empty {
        out.result(&match format {
            Format::Human => format!("{NO_TASKS}\n"),
            Format::Json => text::no_tasks_to_json(),
        });
    }
    Ok(match runs.into_iter().next_back().map_or(WorkflowRunEnd::Complete, |outcome| outcome.end) {
        WorkflowRunEnd::Complete => Status::Done,
        WorkflowRunEnd::Aborted(_) => Status::Findings,
        WorkflowRunEnd::Limit(_) | WorkflowRunEnd::WaitingUntil(_) => Status::Limit,
        WorkflowRunEnd::NeedsPerson(_)
        | WorkflowRunEnd::PullRequest(_)
        | WorkflowRunEnd::Inline(_)
        | WorkflowRunEnd::SameFailure(_) => Status::Person,
        WorkflowRunEnd::Interrupted => Status::Interrupted,
    })
}
