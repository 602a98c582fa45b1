//! `canonry memory`

use super::commit_args::CommitArgs;
use super::format::Format;
use super::memory_review::{self, ReviewArgs};
use super::memory_rule::RuleArgs;
use super::memory_selection::SelectionArgs;
use super::output::Out;
use super::status::Status;
use super::time::parse_now;
use crate::render;
use canonry_app::memory::decide::{self, AcceptOptions, DecideCandidatesRequest, ReviewVerdict};
use canonry_app::memory::{
    explain,
    merge::{self, MergeMemoryRequest},
    status::{self, MemoryStatusRequest},
    undo::{self, UndoOutcome, UndoRequest},
};
use canonry_app::workflow::lessons::{self, WorkflowLessonsRequest};
use canonry_app::{Environment, Error, Workspace, generated_file};
use std::path::PathBuf;

/// Inspect the memory, review candidates, undo a dream
#[derive(Debug, clap::Args)]
pub struct MemoryArgs {
    #[command(subcommand)]
    command: MemoryCommand,
}

#[derive(Debug, clap::Subcommand)]
enum MemoryCommand {
    /// Show size, growth, patterns, and what a dream would do
    Status(StatusArgs),
    /// Explain the salience of a row
    Explain(ExplainRowArgs),
    /// Review the waiting candidates
    Review(ReviewArgs),
    /// Accept candidates as lessons, rules or skills
    Accept(AcceptCandidatesArgs),
    /// Reject candidates permanently
    Reject(RejectArgs),
    /// Stage the reasons of rejections in workflows for review
    Lessons(LessonsArgs),
    /// Undo the last rule or dream of this clone
    Undo(UndoArgs),
    /// Merge a memory file, as called by git
    #[command(hide = true)]
    MergeDriver(MergeDriverArgs),
}

/// The arguments of `canonry memory status`.
#[derive(Debug, clap::Args)]
struct StatusArgs {
    /// Current time, as RFC 3339
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
    /// Number of patterns to list
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Write the same as an HTML page
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    html: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

/// The arguments of `canonry memory explain`.
#[derive(Debug, clap::Args)]
struct ExplainRowArgs {
    /// Id of the row, as in lessons and `memory status`
    id: String,
    /// Current time, as RFC 3339
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

/// The common arguments of `canonry memory accept` and `canonry memory reject`.
#[derive(Debug, clap::Args)]
struct DecisionArgs {
    #[command(flatten)]
    selection: SelectionArgs,
    #[command(flatten)]
    commit: CommitArgs,
    /// Current time, as RFC 3339
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
}

/// The arguments of `canonry memory accept`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Candidates that contradict another are left alone (status 5). With `--to`, a lesson becomes a rule below the heading \"Lessons\"; a terminal asks for missing parts."
)]
struct AcceptCandidatesArgs {
    #[command(flatten)]
    decision: DecisionArgs,
    /// Reason [default with --to: the root cause]
    #[arg(short, long, value_name = "WHY", required_unless_present = "to")]
    reason: Option<String>,
    /// Text of the lesson, or name of the skill
    #[arg(long = "as", value_name = "TEXT")]
    text: Option<String>,
    /// Retract contradicting lessons and candidates
    #[arg(long)]
    supersede: bool,
    #[command(flatten)]
    rule: RuleArgs,
}

/// The arguments of `canonry memory reject`.
#[derive(Debug, clap::Args)]
#[command(after_help = "A rejected candidate is never proposed again.")]
struct RejectArgs {
    #[command(flatten)]
    decision: DecisionArgs,
    /// Reason
    #[arg(short, long, value_name = "WHY")]
    reason: String,
}

/// The arguments of `canonry memory lessons`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Continue with `canonry memory review`.")]
struct LessonsArgs {
    /// Run of a workflow [default: all]
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Write nothing; show the causes
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    commit: CommitArgs,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
}

/// The arguments of `canonry memory undo`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Rules since the last dream are undone first, then the dream. Later episodes stay. If other parts were changed since, nothing is undone (status 5)."
)]
struct UndoArgs {
    /// Write nothing; print the changes
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    commit: CommitArgs,
}

/// The arguments of `canonry memory merge-driver`, in git's order.
#[derive(Debug, clap::Args)]
struct MergeDriverArgs {
    /// Common ancestor (%O)
    base: PathBuf,
    /// Our version and the result (%A)
    ours: PathBuf,
    /// Their version (%B)
    theirs: PathBuf,
    /// Path in the repository (%P)
    path: String,
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &MemoryArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    match &args.command {
        MemoryCommand::Status(args) => run_status(args, env, out),
        MemoryCommand::Explain(args) => run_explain(args, env, out),
        MemoryCommand::Review(args) => memory_review::run(args, env, out),
        MemoryCommand::Accept(args) => run_accept(args, env, out),
        MemoryCommand::Reject(args) => run_decision(&args.decision, &args.reason, ReviewVerdict::Reject, env, out),
        MemoryCommand::Lessons(args) => run_lessons(args, env, out),
        MemoryCommand::Undo(args) => run_undo(args, env, out),
        MemoryCommand::MergeDriver(args) => run_merge_driver(args, env, out),
    }
}

fn run_status(args: &StatusArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let request = MemoryStatusRequest { now: parse_now(args.now.as_deref())?, top: args.top };
    let target = args.html.as_ref().map(|path| env.cwd.join(path));
    if let Some(target) = &target {
        generated_file::check_target(target, render::memory::GENERATOR)?;
    }
    let overview = status::run(&Workspace::open_canon(env)?, &request, out)?;
    if let (Some(target), Some(given)) = (target, &args.html) {
        generated_file::write(&target, render::memory::page(&overview).as_bytes())?;
        out.result(&format!("wrote     {}\n", given.display()));
        return Ok(Status::Done);
    }
    out.result(&match args.format {
        Format::Human => render::memory::overview_to_text(&overview, out.style.width),
        Format::Json => render::memory::overview_to_json(&overview),
    });
    Ok(Status::Done)
}

fn run_explain(args: &ExplainRowArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let now = parse_now(args.now.as_deref())?;
    let outcome = explain::run(&Workspace::open_canon(env)?, &args.id, now, out)?;
    out.result(&args.format.render(&outcome, render::memory::explain::to_text, render::memory::explain::to_json));
    Ok(Status::Done)
}

fn run_accept(args: &AcceptCandidatesArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let placement = args.rule.placement(args.decision.selection.only(), || Workspace::open_canon(env), out)?;
    let root_cause = placement.as_ref().map(|placement| placement.rule.root_cause.as_str());
    let reason = args.reason.as_deref().or(root_cause).unwrap_or_default().to_owned();
    let options = AcceptOptions { text: args.text.clone(), supersede: args.supersede, placement };
    run_decision(&args.decision, &reason, ReviewVerdict::Accept(options), env, out)
}

fn run_decision(
    args: &DecisionArgs,
    reason: &str,
    verdict: ReviewVerdict,
    env: &Environment,
    out: &Out<'_>,
) -> Result<Status, Error> {
    let now = parse_now(args.now.as_deref())?;
    decide::check_reason(reason)?;
    let request = DecideCandidatesRequest {
        selection: args.selection.selection(),
        verdict,
        reason: reason.to_owned(),
        no_commit: args.commit.no_commit,
        now,
    };
    let outcome = decide::run(&Workspace::open_canon(&args.commit.environment(env))?, &request, out)?;
    out.message(&render::memory::decisions::to_text(&outcome));
    out.remark(&render::memory::decisions::refusals_to_text(&outcome));
    Ok(if outcome.refused.is_empty() { Status::Done } else { Status::Refused })
}

fn run_lessons(args: &LessonsArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let no_commit = args.commit.no_commit;
    let request = WorkflowLessonsRequest { run: args.run.clone(), dry_run: args.dry_run, no_commit };
    let outcome = lessons::run(&Workspace::open_canon(&args.commit.environment(env))?, &request, out)?;
    out.result(&args.format.render(&outcome, render::memory::lessons::to_text, render::memory::lessons::to_json));
    Ok(Status::Done)
}

fn run_undo(args: &UndoArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open_canon(&args.commit.environment(env))?;
    let request = UndoRequest { dry_run: args.dry_run, no_commit: args.commit.no_commit };
    let outcome = undo::run(&workspace, &request, out)?;
    if let UndoOutcome::Undone(undone) = &outcome {
        let log = workspace.layout.log();
        out.remark(&render::dream::concurrency_warnings(&undone.overtaken, undone.stale_writer, &log));
    }
    out.message(&render::memory::undo::to_text(&outcome, |path| workspace.view.full(path)));
    Ok(Status::Done)
}

/// Exits as git expects: 0 for a complete merge, 1 for conflicts. Git treats any other status as a conflict and keeps our
/// version.
fn run_merge_driver(args: &MergeDriverArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let request = MergeMemoryRequest {
        base: args.base.clone(),
        ours: args.ours.clone(),
        theirs: args.theirs.clone(),
        path: args.path.clone(),
    };
    let outcome = merge::run(env, &request, out)?;
    out.remark(&render::memory::merge_conflicts(&outcome));
    Ok(if outcome.conflicts == 0 { Status::Done } else { Status::Findings })
}
