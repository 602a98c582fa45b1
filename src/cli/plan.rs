//! `canonry plan`

use super::format::Format;
use super::output::Out;
use super::status::Status;
use crate::app::plan::next::NextStep;
use crate::app::plan::{StepStatus, next, set, show};
use crate::app::{Environment, Error, ErrorKind, Workspace};
use crate::render;
use crate::view::Basis;

/// Show a plan, find the step that is ready, and change the status of a step
#[derive(Debug, clap::Args)]
#[command(
    after_help = "PLAN is the name of a folder in agent/plans/ with a plan.yaml, otherwise the file name without its extension; \
                        it may be left out if there is only one plan."
)]
pub struct Args {
    #[command(subcommand)]
    command: PlanCommand,
}

#[derive(Debug, clap::Subcommand)]
enum PlanCommand {
    Show(ShowArgs),
    Next(NextArgs),
    Set(SetArgs),
}

/// Show the steps of a plan with their owners and statuses, and what each waits for
#[derive(Debug, clap::Args)]
struct ShowArgs {
    /// Plan to show
    #[arg(value_name = "PLAN")]
    plan: Option<String>,
    /// Print the dependency graph, with a colour per status
    #[arg(long, value_enum, value_name = "SYNTAX", conflicts_with = "format")]
    graph: Option<GraphSyntax>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum GraphSyntax {
    /// Mermaid flowchart
    Mermaid,
    /// Graphviz DOT
    Dot,
}

/// Print the first step that is ready
#[derive(Debug, clap::Args)]
#[command(after_help = "The exit status is 3 if nothing is ready or in progress and a person must unblock a step.")]
struct NextArgs {
    /// Plan to search
    #[arg(value_name = "PLAN")]
    plan: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Change the status of a step, and nothing else in the plan
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "canonry plan set [OPTIONS] [PLAN] <STEP> <STATUS>",
    after_help = "Transitions: pending to in_progress if the step is ready; in_progress to complete, blocked or pending; blocked or \
                  complete to pending with a reason, which is recorded as a report. Everything else is refused (status 5). \
                  `complete` requires that the report on the last attempt is valid and says success; this command does not run \
                  the step's commands."
)]
struct SetArgs {
    /// Plan, which may be left out if there is only one; id of the step; pending, in_progress, complete or blocked
    #[arg(value_name = "PLAN STEP STATUS", num_args = 2..=3, required = true)]
    words: Vec<String>,
    /// Why a blocked or complete step becomes pending again
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let open = || Workspace::open(env, &Basis::WorkTree);
    match &args.command {
        PlanCommand::Show(args) => run_show(args, &open()?, out),
        PlanCommand::Next(args) => run_next(args, &open()?, out),
        PlanCommand::Set(args) => {
            let request = set_request(args)?;
            out.result(&render::plan::set_to_text(&set::run(&open()?, &request)?));
            Ok(Status::Done)
        }
    }
}

fn run_show(args: &ShowArgs, workspace: &Workspace, out: &Out<'_>) -> Result<Status, Error> {
    let outcome = show::run(workspace, &show::Request { plan: args.plan.clone() })?;
    out.result(&match (args.graph, args.format) {
        (Some(GraphSyntax::Mermaid), _) => render::plan_graph::to_mermaid(&outcome),
        (Some(GraphSyntax::Dot), _) => render::plan_graph::to_dot(&outcome),
        (None, Format::Json) => render::plan::show_to_json(&outcome),
        (None, Format::Human) => render::plan::show_to_text(&outcome),
    });
    Ok(Status::Done)
}

fn run_next(args: &NextArgs, workspace: &Workspace, out: &Out<'_>) -> Result<Status, Error> {
    let outcome = next::run(workspace, &next::Request { plan: args.plan.clone() })?;
    out.result(&match args.format {
        Format::Json => render::plan::next_to_json(&outcome),
        Format::Human => render::plan::next_to_text(&outcome),
    });
    Ok(match outcome.next {
        NextStep::Blocked(_) => Status::Person,
        NextStep::Ready(_) | NextStep::InProgress(_) | NextStep::Complete => Status::Done,
    })
}

fn set_request(args: &SetArgs) -> Result<set::Request, Error> {
    let usage = |message: String, help: String| Error::new(ErrorKind::Usage, message).help(help);
    let (plan, step, status) = match args.words.as_slice() {
        [plan, step, status] => (Some(plan.clone()), step, status),
        [step, status] => (None, step, status),
        _ => {
            return Err(usage(
                "a step and a status are required".to_owned(),
                "see `canonry plan set --help`".to_owned(),
            ));
        }
    };
    let Some(status) = StepStatus::from_word(status) else {
        let valid = StepStatus::VALID.map(StepStatus::as_str).join(", ");
        return Err(usage(format!("`{status}` is not a status"), format!("valid statuses are {valid}")));
    };
    Ok(set::Request { plan, step: step.clone(), status, reason: args.reason.clone() })
}
