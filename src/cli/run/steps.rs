//! `canonry run next`, `claim`, `release`, `set` and `finish`: one step in the calling session

use super::{end_status, only_for, step_required};
use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render::run as render;
use canonry_app::plan::StepStatus;
use canonry_app::plan::claim::{self, ClaimStepRequest, Claimant};
use canonry_app::plan::finish::{self as finish_step, FinishStepRequest, StepResult};
use canonry_app::plan::next::{self as next_step, NextStep};
use canonry_app::plan::release::{self, ReleaseClaimRequest, Releaser};
use canonry_app::plan::set::{self, SetStatusRequest};
use canonry_app::runs::target::{PlanOrRun, RunTarget};
use canonry_app::workflow::decide::{self, DecideTaskRequest, LoopStatus};
use canonry_app::workflow::step::{self as task, NextTask, NextTaskRequest};
use canonry_app::{Environment, Error, ErrorKind, Workspace};
use std::io::{IsTerminal as _, Read};
use std::path::PathBuf;

/// Print the next step; of a workflow: begin it in this session
#[derive(Debug, clap::Args)]
#[command(
    after_help = "For a workflow, prints the prompt; give the answer to `canonry run finish`. Exits with 1 if the run was aborted, 2 at a limit, 3 if a person is needed, 4 if others have all steps."
)]
pub struct NextArgs {
    /// Plan, workflow or run
    #[arg(value_name = "TARGET")]
    target: Option<String>,
    /// Of a plan: claim the first free step
    #[arg(long)]
    claim: bool,
    #[command(flatten)]
    claimant: ClaimantArgs,
    /// Of a workflow: take over the step of another session
    #[arg(long)]
    take_over: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

// For whom a step is claimed. Not a doc comment: clap would show it as the description of the command.
#[derive(Debug, clap::Args)]
struct ClaimantArgs {
    /// Name of the worker [default: USER@HOST, never renewed]
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
    /// Duration, such as 90s or 2h [default: `plans.claim_ttl`]
    #[arg(long, value_name = "TIME")]
    ttl: Option<String>,
}

impl ClaimantArgs {
    fn claimant(&self) -> Claimant {
        Claimant { holder: self.name.clone(), ttl: self.ttl.clone() }
    }
}

/// # Errors
/// See [`next_step::run`] and [`task::run`].
pub fn next(args: &NextArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let NextArgs { target, claim, claimant, take_over, format } = args;
    let workspace = Workspace::open_canon(env)?;
    let has_claimant = claimant.name.is_some() || claimant.ttl.is_some();
    match RunTarget::resolve(&workspace, target.as_deref())?.started(&workspace)? {
        PlanOrRun::Plan(plan) => {
            only_for("workflows", &[("--take-over", *take_over)])?;
            if !claim && has_claimant {
                return Err(Error::new(ErrorKind::Usage, "`--as` and `--ttl` are about a claim").help("add `--claim`"));
            }
            let claimant = claim.then(|| claimant.claimant());
            let outcome = next_step::run(&workspace, Some(&plan), claimant.as_ref())?;
            out.result(&format.render(&outcome, render::next::to_text, render::next::to_json));
            Ok(match outcome.next {
                NextStep::NeedsPerson(_) => Status::Person,
                NextStep::Ready(_) | NextStep::InProgress(_) | NextStep::Complete => Status::Done,
            })
        }
        PlanOrRun::Run(run) => {
            only_for("plans", &[("--claim", *claim), ("--as", has_claimant)])?;
            let outcome = task::run(&workspace, &NextTaskRequest { run, take_over: *take_over })?;
            if let (Format::Human, NextTask::Task { .. }) = (format, &outcome.next) {
                out.remark(&render::next::task_remark(&outcome));
            }
            out.result(&format.render(&outcome, render::next::task_to_text, render::next::task_to_json));
            Ok(match outcome.next {
                NextTask::Task { .. } => Status::Done,
                NextTask::End(end) => end_status(&end),
            })
        }
    }
}

// The words of a command about one step. Not a doc comment: clap would show it as the description of the command.
#[derive(Debug, clap::Args)]
struct StepArgs {
    /// Plan and step
    #[arg(value_name = "TARGET STEP", num_args = 1..=2, required = true)]
    words: Vec<String>,
}

/// The plan and the step of `[TARGET] STEP`. `instead` is the command for a workflow or a run with this name.
fn plan_step(
    workspace: &Workspace,
    words: &[String],
    instead: impl FnOnce(&str) -> String,
) -> Result<(Option<String>, String), Error> {
    let (target, step) = RunTarget::resolve_step(workspace, words)?;
    let plan = target.require_plan(instead)?;
    let step = step.ok_or_else(|| step_required(&plan))?;
    Ok((Some(plan), step))
}

/// Claim a step of a plan for one worker
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "canonry run claim [OPTIONS] [TARGET] <STEP>",
    after_help = "Exits with 4 if another worker holds the claim, and with 5 if the step is not ready."
)]
pub struct ClaimArgs {
    #[command(flatten)]
    step: StepArgs,
    #[command(flatten)]
    claimant: ClaimantArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// # Errors
/// See [`claim::run`].
pub fn claim(args: &ClaimArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open_canon(env)?;
    let instead = |name: &str| format!("`canonry run next {name}` begins the next step in this session");
    let (plan, step) = plan_step(&workspace, &args.step.words, instead)?;
    let outcome = claim::run(&workspace, &ClaimStepRequest { plan, step, claimant: args.claimant.claimant() })?;
    out.result(&args.format.render(&outcome, render::next::claim_to_text, render::next::claim_to_json));
    Ok(Status::Done)
}

/// Release the claim on a step
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "canonry run release [OPTIONS] [TARGET] <STEP>",
    after_help = "Exits with 4 if another worker holds the claim."
)]
pub struct ReleaseArgs {
    #[command(flatten)]
    step: StepArgs,
    /// Holder of the claim [default: USER@HOST]
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
    /// Token printed by `canonry run claim`
    #[arg(long, value_name = "TOKEN", conflicts_with = "name")]
    token: Option<String>,
}

/// # Errors
/// See [`release::run`].
pub fn release(args: &ReleaseArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open_canon(env)?;
    let instead = |name: &str| format!("`canonry run next {name} --take-over` takes over the step of another session");
    let (plan, step) = plan_step(&workspace, &args.step.words, instead)?;
    let releaser = match &args.token {
        Some(token) => Releaser::Token(token.clone()),
        None => Releaser::Holder(args.name.clone()),
    };
    let outcome = release::run(&workspace, &ReleaseClaimRequest { plan, step, releaser })?;
    out.message(&render::changes::released(&outcome));
    Ok(Status::Done)
}

/// Change the status of a step of a plan
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "canonry run set [OPTIONS] [TARGET] <STEP> <STATUS>",
    after_help = "`complete` needs a valid report of success, and the commands of the step decide as with `finish`. Other transitions are refused (status 5)."
)]
pub struct SetArgs {
    /// Plan, step, and pending, in_progress, complete or blocked
    #[arg(value_name = "TARGET STEP STATUS", num_args = 2..=3, required = true)]
    words: Vec<String>,
    /// Reason; required to reopen a blocked or complete step
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Id of a remedial step to insert before it
    #[arg(long, value_name = "ID", requires = "reason")]
    remedy: Option<String>,
}

/// # Errors
/// See [`set::run`]; [`ErrorKind::Usage`] if the last word is not a status.
pub fn set(args: &SetArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let (word, words) = args.words.split_last().expect("clap requires two words");
    let status = StepStatus::from_word(word).ok_or_else(|| {
        let valid = StepStatus::VALID.map(StepStatus::as_str).join(", ");
        Error::new(ErrorKind::Usage, format!("`{word}` is not a status")).help(format!("valid statuses are {valid}"))
    })?;
    let workspace = Workspace::open_canon(env)?;
    let instead = |name: &str| format!("its answers decide the status: `canonry run finish {name}`");
    let (plan, step) = plan_step(&workspace, words, instead)?;
    let request = SetStatusRequest { plan, step, status, reason: args.reason.clone(), remedy: args.remedy.clone() };
    out.message(&render::changes::status_set(&set::run(&workspace, &request)?));
    Ok(Status::Done)
}

/// Finish a step: check it and report; of a workflow: give the answer
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "canonry run finish [OPTIONS] [TARGET] [STEP]",
    after_help = "For a plan, exits with 1 and records nothing if a `Run:` command of the step fails. For a workflow, prints CONTINUE, STEP_COMPLETE, WORKFLOW_COMPLETE, ABORT, LIMIT or HUMAN_REQUIRED: the last line with a keyword decides, or JSON that meets the output schema. Exits with 0, 1 (ABORT), 2 (LIMIT), 3 (HUMAN_REQUIRED) or 4 (taken over)."
)]
pub struct FinishArgs {
    /// Plan and step, or workflow or run
    #[arg(value_name = "TARGET STEP", num_args = 0..=2)]
    words: Vec<String>,
    /// Summary of the work; for a workflow, the answer [default: stdin]
    #[arg(long, value_name = "TEXT")]
    details: Option<String>,
    /// Reason of a failure that another attempt may fix
    #[arg(long, value_name = "REASON", conflicts_with = "blocked")]
    failed: Option<String>,
    /// Of a plan: reason that needs someone else
    #[arg(long, value_name = "REASON")]
    blocked: Option<String>,
    /// Of a plan: token printed by `canonry run claim`
    #[arg(long, value_name = "TOKEN")]
    claim: Option<String>,
    /// Of a workflow: task of the answer, if several are open
    #[arg(long, value_name = "N")]
    task: Option<u64>,
    /// Of a workflow: file with the answer
    #[arg(long, value_name = "FILE", conflicts_with = "details")]
    report: Option<PathBuf>,
    /// Of a workflow: output format
    #[arg(long, value_enum)]
    format: Option<Format>,
}

/// # Errors
/// See [`finish_step::run`] and [`decide::run`].
pub fn finish(args: &FinishArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open_canon(env)?;
    let (target, step) = RunTarget::resolve_step(&workspace, &args.words)?;
    match target.started(&workspace)? {
        PlanOrRun::Plan(plan) => finish_plan_step(args, &workspace, plan, step, out),
        PlanOrRun::Run(run) => finish_task(args, &workspace, run, step, out),
    }
}

fn finish_plan_step(
    args: &FinishArgs,
    workspace: &Workspace,
    plan: String,
    step: Option<String>,
    out: &Out<'_>,
) -> Result<Status, Error> {
    let FinishArgs { task, report, format, .. } = args;
    only_for(
        "workflows",
        &[("--task", task.is_some()), ("--report", report.is_some()), ("--format", format.is_some())],
    )?;
    let result = match (&args.failed, &args.blocked) {
        (Some(reason), _) => StepResult::Failed(reason.clone()),
        (None, Some(reason)) => StepResult::Blocked(reason.clone()),
        (None, None) => StepResult::Done,
    };
    let step = step.ok_or_else(|| step_required(&plan))?;
    let details = args.details.clone();
    let claim = args.claim.clone();
    let outcome = finish_step::run(workspace, &FinishStepRequest { plan: Some(plan), step, result, details, claim })?;
    out.message(&render::changes::finished(&outcome));
    Ok(if outcome.failure.is_some() { Status::Findings } else { Status::Done })
}

fn finish_task(
    args: &FinishArgs,
    workspace: &Workspace,
    run: String,
    step: Option<String>,
    out: &Out<'_>,
) -> Result<Status, Error> {
    only_for("plans", &[("--blocked", args.blocked.is_some()), ("--claim", args.claim.is_some())])?;
    if let Some(step) = step {
        let error = Error::new(ErrorKind::Usage, format!("`{step}` is not needed: the run `{run}` knows its step"));
        return Err(error.help("if several tasks are open, name one with `--task N`"));
    }
    let answer = match (&args.details, &args.report) {
        (Some(text), _) => text.clone(),
        (None, Some(path)) if path.as_os_str() != "-" => {
            let path = workspace.env.cwd.join(path);
            let file = std::fs::File::open(&path);
            read_answer(file).map_err(|e| Error::new(ErrorKind::Unreadable, format!("{}: {e}", path.display())))?
        }
        (None, None) if args.failed.is_some() => String::new(),
        _ if std::io::stdin().is_terminal() => {
            return Err(Error::new(ErrorKind::Usage, "there is no answer")
                .help("pipe it in, or give `--details TEXT` or `--report FILE`"));
        }
        _ => read_answer(Ok(std::io::stdin().lock()))
            .map_err(|e| Error::new(ErrorKind::Unreadable, format!("the answer cannot be read: {e}")))?,
    };
    let request = DecideTaskRequest { run, task: args.task, answer, failed: args.failed.clone() };
    let outcome = decide::run(workspace, &request)?;
    let format = args.format.unwrap_or(Format::Human);
    out.result(&format.render(&outcome, render::next::decided_to_text, render::next::decided_to_json));
    Ok(match &outcome.status {
        LoopStatus::Continue | LoopStatus::StepComplete => Status::Done,
        LoopStatus::End(end) => end_status(end),
    })
}

/// An answer that is one byte too long at most.
fn read_answer(source: std::io::Result<impl Read>) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    source?.take(decide::MAX_ANSWER + 1).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
