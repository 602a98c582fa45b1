//! `canonry run approve`, `reject` and `abort`

use super::{only_for, step_required};
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render::run as render;
use canonry_app::plan::StepStatus;
use canonry_app::plan::approve::{self as approve_step, ApproveStepRequest};
use canonry_app::plan::set::{self, SetStatusRequest};
use canonry_app::runs::target::{PlanOrRun, RunTarget};
use canonry_app::workflow::abort::{self, AbortRunRequest};
use canonry_app::workflow::approve::{self as answer, ApproveGateRequest};
use canonry_app::{Environment, Error, ErrorKind, Workspace};

/// A decision of a person.
#[derive(Clone, Debug, clap::Args)]
pub struct DecisionArgs {
    /// Plan and step, or workflow or run with a gate or step [default: the open question]
    #[arg(value_name = "TARGET STEP", num_args = 0..=2)]
    words: Vec<String>,
    /// Reason; optional to approve in a workflow
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Of a workflow: the answer [default: the affirmative one, or the one that rejects]
    #[arg(long, value_name = "VALUE")]
    option: Option<String>,
}

/// Runs `approve`, or with `rejects` the other.
///
/// # Errors
/// See [`approve_step::run`], [`set::run`] and [`answer::run`].
pub fn decide(args: &DecisionArgs, rejects: bool, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let DecisionArgs { words, reason, option } = args.clone();
    let workspace = Workspace::open_canon(env)?;
    let (target, step) = RunTarget::resolve_step(&workspace, &words)?;
    let target = target.started(&workspace)?;
    let required = || Error::new(ErrorKind::Usage, "`--reason TEXT` is required");
    let text = match target {
        PlanOrRun::Run(_) if rejects && reason.is_none() => return Err(required()),
        PlanOrRun::Run(run) => {
            let request = ApproveGateRequest { run, gate: step, option, reason, rejects };
            render::changes::answered(&answer::run(&workspace, &request)?)
        }
        PlanOrRun::Plan(plan) => {
            only_for("workflows", &[("--option", option.is_some())])?;
            let step = step.ok_or_else(|| step_required(&plan))?;
            let reason = reason.ok_or_else(required)?;
            let plan = Some(plan);
            if rejects {
                let status = StepStatus::Blocked;
                let request = SetStatusRequest { plan, step, status, reason: Some(reason), remedy: None };
                render::changes::status_set(&set::run(&workspace, &request)?)
            } else {
                render::changes::approved(&approve_step::run(&workspace, &ApproveStepRequest { plan, step, reason })?)
            }
        }
    };
    out.message(&text);
    Ok(Status::Done)
}

/// Abort a run of a workflow
#[derive(Debug, clap::Args)]
pub struct AbortArgs {
    /// Workflow or run
    #[arg(value_name = "TARGET")]
    target: Option<String>,
    /// Reason
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// # Errors
/// See [`abort::run`]; [`ErrorKind::Refused`] for a plan.
pub fn abort(args: &AbortArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open_canon(env)?;
    match RunTarget::resolve(&workspace, args.target.as_deref())?.started(&workspace)? {
        PlanOrRun::Plan(plan) => {
            Err(Error::new(ErrorKind::Refused, format!("`{plan}` is a plan, which has no run to abort"))
                .help(format!("`canonry run reject {plan} STEP --reason TEXT` keeps a step from being executed")))
        }
        PlanOrRun::Run(run) => {
            let run = abort::run(&workspace, &AbortRunRequest { run, reason: args.reason.clone() })?;
            out.message(&render::changes::aborted(&run));
            Ok(Status::Done)
        }
    }
}
