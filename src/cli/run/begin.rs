//! `canonry run new`, `check` and `start`

use crate::cli::check::{CheckFormat, print_findings, status};
use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render::run as render;
use canonry_app::plan::new::{self, NewPlanRequest};
use canonry_app::runs::check;
use canonry_app::runs::target::RunTarget;
use canonry_app::workflow::start::{self, StartRunRequest};
use canonry_app::{Environment, Error, ErrorKind, Workspace};
use std::collections::BTreeMap;

/// Create an intake, then a plan from its acceptance criteria
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Fill in agent/plans/ID/intake.md, then run the command again. Existing files are never overwritten (status 5)."
)]
pub struct NewArgs {
    /// Id, such as rate-limit-uploads
    #[arg(value_name = "ID")]
    id: String,
    /// Require an intake
    #[arg(long, conflicts_with = "template")]
    from_intake: bool,
    /// Plan to copy, with every step pending
    #[arg(long, value_name = "PLAN|FILE")]
    template: Option<String>,
}

/// # Errors
/// See [`new::run`].
pub fn new(args: &NewArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let request =
        NewPlanRequest { id: args.id.clone(), from_intake: args.from_intake, template: args.template.clone() };
    out.message(&render::changes::created(&new::run(&Workspace::open_canon(env)?, &request)?));
    Ok(Status::Done)
}

/// Check a plan and its reports, or a workflow; or all of them
#[derive(Debug, clap::Args)]
#[command(after_help = "Names the phase of a plan: Intake, Plan, Execute, Verify or Report.")]
pub struct CheckArgs {
    /// Plan or workflow [default: all]
    #[arg(value_name = "TARGET")]
    target: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = CheckFormat::Human)]
    format: CheckFormat,
}

/// # Errors
/// See [`check::run`].
pub fn check(args: &CheckArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let outcome = check::run(env, args.target.as_deref(), out)?;
    print_findings(&outcome.report, args.format, out);
    for (plan, phase) in &outcome.phases {
        let line = render::phase_line(plan, phase);
        match args.format {
            CheckFormat::Human => out.result(&line),
            CheckFormat::Concise | CheckFormat::Json | CheckFormat::Sarif | CheckFormat::Github => out.remark(&line),
        }
    }
    Ok(status(&outcome.report))
}

/// Create a run of a workflow without executing it
#[derive(Debug, clap::Args)]
#[command(after_help = "Continue with `canonry run exec` (starts workers) or `next` (this session does the work).")]
pub struct StartArgs {
    /// Workflow [default: the only one]
    #[arg(value_name = "WORKFLOW")]
    workflow: Option<String>,
    #[command(flatten)]
    input: InputArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

// Input of a run. Not a doc comment: clap would show it as the description of the command.
#[derive(Debug, clap::Args)]
pub struct InputArgs {
    /// Task of a workflow: {{task}} in the prompts [default: the next of agent/tasks]
    #[arg(long, value_name = "TEXT")]
    pub task: Option<String>,
    /// Value of a parameter of a workflow (repeatable)
    #[arg(long = "param", value_name = "NAME=VALUE")]
    pub parameters: Vec<String>,
}

impl InputArgs {
    /// The request to start a workflow.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] for a parameter without a value.
    pub fn request(&self, workflow: Option<String>) -> Result<StartRunRequest, Error> {
        let mut parameters = BTreeMap::new();
        for pair in &self.parameters {
            let (name, value) = pair.split_once('=').ok_or_else(|| {
                Error::new(ErrorKind::Usage, format!("`--param {pair}` has no value"))
                    .help("write `--param NAME=VALUE`")
            })?;
            parameters.insert(name.to_owned(), value.to_owned());
        }
        Ok(StartRunRequest { workflow, task: self.task.clone(), parameters })
    }
}

/// # Errors
/// See [`start::run`]; [`ErrorKind::Usage`] for a plan or a run.
pub fn start(args: &StartArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open_canon(env)?;
    let named = args.workflow.as_ref().map(|given| RunTarget::resolve(&workspace, Some(given))?.require_workflow());
    let workflow = named.transpose()?;
    let outcome = start::run(&workspace, &args.input.request(workflow)?)?;
    out.result(&args.format.render(&outcome, render::next::start_to_text, render::next::start_to_json));
    Ok(Status::Done)
}
