//! The plans and runs that have work left, each with its next command.

use crate::plan::paths;
use crate::plan::summary::{PlanSummary, summarize};
use crate::workflow::Question;
use crate::workflow::status::{self, RunPhase, RunStatus, RunStatusRequest};
use crate::{Error, Workspace};

/// Plans and runs.
#[derive(Debug)]
pub struct OpenWork {
    /// The plans by id. One that cannot be read has the reason instead.
    pub plans: Vec<(String, Result<PlanSummary, String>)>,
    /// The runs by id.
    pub runs: Vec<RunStatus>,
    /// Runs whose journal cannot be read, with the reason.
    pub unreadable: Vec<(String, String)>,
}

impl OpenWork {
    /// Whether no work is left.
    pub fn is_done(&self) -> bool {
        let is_complete = |plan: &Result<PlanSummary, String>| plan.as_ref().is_ok_and(|plan| plan.is_complete());
        self.plans.iter().all(|(_, plan)| is_complete(plan)) && self.runs.iter().all(RunStatus::is_ended)
    }
}

/// Reads the plans that are not complete and the runs that have not ended; with `all`, the others too.
///
/// # Errors
/// A folder cannot be listed.
pub fn run(workspace: &Workspace, all: bool) -> Result<OpenWork, Error> {
    workspace.require_canon()?;
    let files = paths(workspace)?.into_iter().filter(|(_, path)| path.file_name() != "intake.md");
    let plans = files.map(|(id, _)| {
        let summary = summarize(workspace, &id).map_err(|error| error.message);
        (id, summary)
    });
    let runs = status::run(workspace, &RunStatusRequest { run: None, all: true })?;
    let mut work = OpenWork { plans: plans.collect(), runs: runs.runs, unreadable: runs.unreadable };
    if !all {
        work.plans.retain(|(_, plan)| !plan.as_ref().is_ok_and(PlanSummary::is_complete));
        work.runs.retain(|run| !run.is_ended());
    }
    Ok(work)
}

/// The next command for a plan.
pub fn plan_command(id: &str, plan: &Result<PlanSummary, String>) -> String {
    match plan {
        Err(_) => format!("canonry run check {id}"),
        Ok(plan) if plan.is_complete() => format!("canonry run check {id}"),
        Ok(plan) if plan.ready > 0 => format!("canonry run exec {id}"),
        Ok(plan) => match plan.unapproved.first() {
            Some(step) => format!("canonry run approve {id} {step} --reason TEXT"),
            None => format!("canonry run status {id}"),
        },
    }
}

/// The next command for a run.
pub fn run_command(run: &RunStatus) -> String {
    let id = &run.run;
    match (&run.phase, &run.question) {
        (RunPhase::NeedsPerson, Some(question)) if !run.is_overdue => answer_command(id, question),
        (RunPhase::Ready | RunPhase::WaitingUntil(_) | RunPhase::NeedsPerson, _) => format!("canonry run exec {id}"),
        (RunPhase::Working, _) => format!("canonry run log {id} --follow"),
        (RunPhase::StepLimit(_), _) => format!("canonry run exec {id} --migrate"),
        (RunPhase::Complete | RunPhase::Aborted(_), _) => format!("canonry run report {id}"),
    }
}

/// The command that answers a question of a run.
pub fn answer_command(run: &str, question: &Question) -> String {
    let option = if question.options.is_empty() { "TEXT".to_owned() } else { question.options.join("|") };
    format!("canonry run approve {run} --option {option}")
}
