//! The next step of a plan that is ready.

use super::StepStatus;
use super::load::LoadedPlan;
use crate::app::{Error, RepoPath, Workspace};
use crate::canon::plan::PlanStep;
use crate::plan::StepStates;
use crate::syntax::node::SpannedText;

/// Which plan to search.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The plan's id; the only plan by default.
    pub plan: Option<String>,
}

/// The next step, or why no step is ready.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The plan's id.
    pub plan: String,
    /// The plan's file, from the top of the repository.
    pub path: RepoPath,
    /// What to do next.
    pub next: NextStep,
}

/// What to do next.
#[derive(Clone, Debug)]
pub enum NextStep {
    /// The first ready step in file order.
    Ready(Box<ReadyStep>),
    /// Nothing is ready while these steps are in progress.
    InProgress(Vec<String>),
    /// Nothing is ready or in progress: a person must unblock one of these steps.
    Blocked(Vec<String>),
    /// Every step is complete.
    Complete,
}

/// A step that may start now.
#[derive(Clone, Debug)]
pub struct ReadyStep {
    /// The id.
    pub id: String,
    /// The role that executes the step.
    pub owner: String,
    /// The description; may be empty.
    pub description: String,
    /// The acceptance criteria.
    pub criteria: Vec<String>,
    /// `Run: …` and `Read: …`.
    pub commands: Vec<String>,
    /// The files that the step writes.
    pub files: Vec<String>,
    /// Where the report on the next attempt belongs; `None` if the plan has no reports folder.
    pub report: Option<RepoPath>,
}

/// Finds the next step.
///
/// # Errors
/// The plan is not found, or it has errors.
pub fn run(workspace: &Workspace, request: &Request) -> Result<Outcome, Error> {
    let loaded = LoadedPlan::load_with_reports(workspace, request.plan.as_deref())?;
    let steps = &loaded.document()?.steps;
    let states = StepStates::new(steps);
    let with_status = |status: StepStatus| -> Vec<String> {
        steps.iter().filter(|step| step.status == status).map(|step| step.id_text().to_owned()).collect()
    };
    let ready = (0..steps.len()).find(|at| states.is_ready(*at)).and_then(|at| steps.get(at));
    let in_progress = with_status(StepStatus::InProgress);
    let blocked = with_status(StepStatus::Blocked);
    let next = match ready {
        Some(step) => NextStep::Ready(Box::new(ready_step(workspace, &loaded, step))),
        None if !in_progress.is_empty() => NextStep::InProgress(in_progress),
        None if !blocked.is_empty() => NextStep::Blocked(blocked),
        None => NextStep::Complete,
    };
    Ok(Outcome { next, path: workspace.view.full(&loaded.plan.path), plan: loaded.id })
}

fn ready_step(workspace: &Workspace, loaded: &LoadedPlan, step: &PlanStep) -> ReadyStep {
    let texts = |texts: &[SpannedText]| texts.iter().map(|text| text.text.clone()).collect();
    let report = loaded.next_report(&workspace.layout, step);
    ReadyStep {
        id: step.id_text().to_owned(),
        owner: step.owner.as_ref().map(|owner| owner.text.clone()).unwrap_or_default(),
        description: step.description.clone(),
        criteria: step.criteria.clone(),
        commands: texts(&step.commands),
        files: texts(&step.files),
        report: report.map(|(path, _)| workspace.view.full(&path)),
    }
}
