//! `canonry run exec`, `verify` and `export`

use super::begin::InputArgs;
use super::options::{RunDisplay, RunOptions};
use super::{end_status, only_for};
use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render::run as render;
use canonry_app::plan::export::{self as export_plan, ExportOptions, ExportPlanRequest, ExportTarget};
use canonry_app::plan::push::ResultPush;
use canonry_app::plan::run::{self as run_plan, RunPlanRequest};
use canonry_app::plan::verify::{self as verify_plan, VerifyPlanRequest};
use canonry_app::plan::waves;
use canonry_app::runs::target::{PlanOrRun, RunTarget};
use canonry_app::workflow::resume::ResumeChoice;
use canonry_app::workflow::run::{self as run_workflow, RunWorkflowRequest};
use canonry_app::workflow::{queue, start};
use canonry_app::{Environment, Error, ErrorKind, Workspace};
use canonry_runs::exec::{RunEnd, RunOutcome, loop_word};
use std::path::PathBuf;

/// Execute a plan, one step of it, or a workflow
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "canonry run exec [OPTIONS] [TARGET] [STEP]",
    after_help = "The workers are those of agent/owners.yaml. Run it again to continue; a step or workflow that is complete stays as it is. With --task, a workflow without an open run is started first.\n\nExits with 0 if everything is complete, 1 if the workflow was aborted, 2 at a limit, 3 if a person is needed, 4 if others have the rest, 65 if the workflow changed and the run cannot follow."
)]
pub struct ExecArgs {
    /// Plan and step, or workflow or run
    #[arg(value_name = "TARGET STEP", num_args = 0..=2)]
    words: Vec<String>,
    /// Of a plan: start nothing more once a step is blocked
    #[arg(long)]
    fail_fast: bool,
    /// Of a plan: print order, commands and prompts; start nothing
    #[arg(long)]
    dry_run: bool,
    /// Of one step: merge the upstream branch first, and push the result to it
    #[arg(long)]
    push: bool,
    #[command(flatten)]
    options: RunOptions,
    #[command(flatten)]
    workflow: WorkflowArgs,
}

// Options for workflows. Not a doc comment: clap would show it as the description of the command.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Options for workflows")]
struct WorkflowArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Run each ready task of agent/tasks, until none is left
    #[arg(long, conflicts_with_all = ["once", "max_steps", "task"])]
    queue: bool,
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
    /// If the workflow changed: continue on the old definition
    #[arg(long, group = "resume")]
    snapshot: bool,
    /// If the workflow changed: start again on the new definition
    #[arg(long, group = "resume")]
    restart: bool,
    /// If the workflow changed: continue on the new definition
    #[arg(long, group = "resume")]
    migrate: bool,
    /// Take over the step of another session
    #[arg(long)]
    take_over: bool,
}

impl WorkflowArgs {
    /// The options, each with whether it was given.
    fn given(&self) -> [(&'static str, bool); 10] {
        let InputArgs { task, parameters } = &self.input;
        [
            ("--task", task.is_some()),
            ("--param", !parameters.is_empty()),
            ("--queue", self.queue),
            ("--once", self.once),
            ("--max-steps", self.max_steps.is_some()),
            ("--until", self.until.is_some()),
            ("--snapshot", self.snapshot),
            ("--restart", self.restart),
            ("--migrate", self.migrate),
            ("--take-over", self.take_over),
        ]
    }

    fn resume(&self) -> ResumeChoice {
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

/// # Errors
/// See [`run_plan::run`] and [`run_workflow::run`].
pub fn exec(args: &ExecArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open_canon(env)?;
    let format = args.options.format;
    let display = RunDisplay::new(out, format);
    if args.workflow.queue {
        let workflow = queued_workflow(args, &workspace)?;
        let queue = queue::run(env, workflow.as_deref(), &workflow_request(args)?, &display)?;
        drop(display);
        return Ok(print_ends(format, &queue.runs, queue.is_empty, out));
    }
    let (target, step) = RunTarget::resolve_step(&workspace, &args.words)?;
    let starts = args.workflow.input.task.is_some();
    let target = match target {
        RunTarget::Workflow(name) if starts => match start_run(args, &workspace, &name, out)? {
            Some(run) => PlanOrRun::Run(run),
            None => return Ok(print_ends(format, &[], true, out)),
        },
        target => {
            let started = target.started(&workspace)?;
            if matches!(started, PlanOrRun::Run(_)) {
                let InputArgs { task, parameters } = &args.workflow.input;
                let given = [("--task", task.is_some()), ("--param", !parameters.is_empty())];
                only_for("the start of a workflow", &given)?;
            }
            started
        }
    };
    let outcome = match target {
        PlanOrRun::Plan(plan) => match exec_plan(args, &workspace, plan, step, &display, out)? {
            Some(outcome) => outcome,
            None => return Ok(Status::Done),
        },
        PlanOrRun::Run(run) => {
            only_for("plans", &[("STEP", step.is_some())])?;
            run_workflow::run(workspace, &run, &workflow_request(args)?, &display)?
        }
    };
    drop(display);
    Ok(print_ends(format, &[outcome], false, out))
}

/// Starts a run of a workflow that has no open one, and returns its id; `None` without a task that is left.
fn start_run(args: &ExecArgs, workspace: &Workspace, name: &str, out: &Out<'_>) -> Result<Option<String>, Error> {
    if let Some(open) = start::open_run(workspace, name)? {
        let message = format!("the run `{open}` of this workflow is open, and `--task` starts another one");
        let help = format!(
            "continue it with `canonry run exec {open}`, end it with `canonry run abort {open}`, or start a second one with \
             `canonry run start {name}`"
        );
        return Err(Error::new(ErrorKind::Usage, message).help(help));
    }
    let started = start::run(workspace, &args.workflow.input.request(Some(name.to_owned()))?)?;
    if let Some(started) = &started {
        out.remark(&render::next::started_line(started));
    }
    Ok(started.map(|started| started.run))
}

/// The workflow of a queue, if one is named.
fn queued_workflow(args: &ExecArgs, workspace: &Workspace) -> Result<Option<String>, Error> {
    let [word, rest @ ..] = args.words.as_slice() else { return Ok(None) };
    only_for("plans", &[("STEP", !rest.is_empty())])?;
    RunTarget::resolve(workspace, Some(word))?.require_workflow().map(Some)
}

/// Executes a plan or one step of it; `None` if its waves were printed instead.
fn exec_plan(
    args: &ExecArgs,
    workspace: &Workspace,
    plan: String,
    only: Option<String>,
    display: &RunDisplay<'_, '_>,
    out: &Out<'_>,
) -> Result<Option<RunOutcome>, Error> {
    only_for("workflows", &args.workflow.given())?;
    let options = &args.options;
    if args.dry_run {
        let outcome = waves::run(workspace, Some(&plan), options.workers)?;
        out.result(&options.format.render(&outcome, render::waves::to_text, render::waves::to_json));
        return Ok(None);
    }
    let push = match &only {
        Some(step) if args.push => Some(ResultPush::new(&workspace.env, Some(&plan), step, display)?),
        None if args.push => {
            return Err(Error::new(ErrorKind::Usage, "`--push` pushes the result of one step: name it"));
        }
        _ => None,
    };
    if let Some(push) = &push {
        push.prepare()?;
    }
    let request = RunPlanRequest { plan: Some(plan), only, fail_fast: args.fail_fast, limits: options.limits() };
    // The merge may have changed the plan.
    let outcome = run_plan::run(&Workspace::open_canon(&workspace.env)?, &request, display)?;
    if let Some(push) = push.filter(|_| outcome.end != RunEnd::Interrupted) {
        push.push()?;
    }
    Ok(Some(outcome))
}

fn workflow_request(args: &ExecArgs) -> Result<RunWorkflowRequest, Error> {
    let ExecArgs { workflow, options, .. } = args;
    only_for("plans", &[("--fail-fast", args.fail_fast), ("--dry-run", args.dry_run), ("--push", args.push)])?;
    Ok(RunWorkflowRequest {
        once: workflow.once,
        max_steps: workflow.max_steps,
        until: workflow.until.clone(),
        iterations: workflow.iterations,
        limits: options.limits(),
        resume: workflow.resume(),
        take_over: workflow.take_over,
    })
}

/// Prints the ends of runs, and the word of an empty queue. The last run decides the status.
fn print_ends(format: Format, outcomes: &[RunOutcome], is_empty: bool, out: &Out<'_>) -> Status {
    for outcome in outcomes {
        match format {
            Format::Human => out.message(&render::events::outcome_to_text(outcome)),
            Format::Json => out.result(&render::events::outcome_to_json(outcome)),
        }
    }
    if is_empty {
        out.result(&match format {
            Format::Human => format!("{}\n", loop_word::NO_TASKS),
            Format::Json => render::events::no_tasks_to_json(),
        });
    }
    outcomes.last().map_or(Status::Done, |outcome| end_status(&outcome.end))
}

/// The plan that a command is about.
fn plan_of(workspace: &Workspace, target: Option<&str>) -> Result<Option<String>, Error> {
    let instead = |name: &str| format!("see it with `canonry run report {name}`");
    Ok(Some(RunTarget::resolve(workspace, target)?.require_plan(instead)?))
}

/// Run the commands of a complete plan again in a clean checkout
#[derive(Debug, clap::Args)]
#[command(after_help = "A step whose command fails is pending again, and the status is 1.")]
pub struct VerifyArgs {
    /// Plan
    #[arg(value_name = "TARGET")]
    target: Option<String>,
    /// Revert the work of failed steps by new commits
    #[arg(long)]
    revert: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// # Errors
/// See [`verify_plan::run`].
pub fn verify(args: &VerifyArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open_canon(env)?;
    let plan = plan_of(&workspace, args.target.as_deref())?;
    let outcome = verify_plan::run(&workspace, &VerifyPlanRequest { plan, revert: args.revert }, out)?;
    out.result(&args.format.render(&outcome, render::verify::to_text, render::verify::to_json));
    Ok(if outcome.failures.is_empty() { Status::Done } else { Status::Findings })
}

/// Export a plan to CI: one job per step
#[derive(Debug, clap::Args)]
#[command(
    after_help = "`canonry check` reports an outdated export in .github/workflows or agent/exports. Export to the same file to update it."
)]
pub struct ExportArgs {
    /// Plan
    #[arg(value_name = "TARGET")]
    target: Option<String>,
    /// Engine
    #[arg(long, value_enum, value_name = "ENGINE")]
    to: ExportTarget,
    /// Output file [default: stdout]; edited files are kept
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// For github-actions: runner with the workers' tools [default: ubuntu-latest]
    #[arg(long, value_name = "LABEL")]
    runs_on: Option<String>,
    /// For argo: image with canonry, git and the workers' tools
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,
    /// For argo: repository to clone
    #[arg(long, value_name = "URL")]
    repository: Option<String>,
    /// Secret for the workers, as an environment variable (repeatable)
    #[arg(long = "secret", value_name = "NAME")]
    secrets: Vec<String>,
    /// Maximum minutes of a job [default: 120]
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(u32).range(1..=35_000))]
    timeout: Option<u32>,
}

/// # Errors
/// See [`export_plan::run`].
pub fn export(args: &ExportArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open_canon(env)?;
    let request = ExportPlanRequest {
        plan: plan_of(&workspace, args.target.as_deref())?,
        to: args.to,
        options: ExportOptions {
            version: None,
            runs_on: args.runs_on.clone(),
            image: args.image.clone(),
            repository: args.repository.clone(),
            secrets: args.secrets.clone(),
            timeout: args.timeout,
        },
        output: args.output.clone(),
    };
    let outcome = export_plan::run(&workspace, &request)?;
    out.result(&match &args.output {
        Some(file) => render::changes::exported(&outcome, &file.display().to_string()),
        None => outcome.text,
    });
    Ok(Status::Done)
}
