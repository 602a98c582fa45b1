//! The prompt of a worker: what the plan, its reports and the canon say about a step.

use super::load::LoadedPlan;
use crate::workers::{Library, REFERENCE_BUDGET};
use crate::{Error, Workspace};
use canonry_model::canon::plan::PlanStep;
use canonry_runs::plan::AttemptHistory;
use canonry_runs::plan::prompt::{self, DepReport, PromptInput};
use canonry_runs::plan::run::AttemptRecord;
use canonry_text::node::Node;

/// The prompt of an attempt.
///
/// # Errors
/// The plan is not readable.
pub(super) fn build(
    workspace: &Workspace,
    loaded: &LoadedPlan,
    step: &PlanStep,
    record: &AttemptRecord,
) -> Result<String, Error> {
    text(&Library::load(workspace), loaded, step, record.attempt, record.branch.is_some())
}

/// The prompt of the next attempt at a step, as far as it is known before it starts.
///
/// # Errors
/// The plan is not readable.
pub(super) fn preview(
    library: &Library<'_>,
    loaded: &LoadedPlan,
    step: &PlanStep,
    is_isolated: bool,
) -> Result<String, Error> {
    let history = AttemptHistory::from_reports(loaded.plan.attempts_at(step));
    text(library, loaded, step, history.last + 1, is_isolated)
}

fn text(
    library: &Library<'_>,
    loaded: &LoadedPlan,
    step: &PlanStep,
    attempt: u64,
    is_isolated: bool,
) -> Result<String, Error> {
    let document = loaded.document()?;
    let root = document.yaml.as_ref().ok().map(|yaml| &yaml.root);
    let field = |key: &str| root.and_then(|root| root.get(key)).and_then(Node::as_str).unwrap_or_default();
    let goal = Some(field("goal")).filter(|goal| !goal.is_empty()).unwrap_or_else(|| field("description"));
    let failures = AttemptHistory::from_reports(loaded.plan.attempts_at(step)).failures;
    let error = failures.last().map(|failure| failure.error.as_str());
    let criteria = step.criteria.join("\n");
    let files: Vec<&str> = step.files.iter().map(|file| file.text.as_str()).collect();
    let task = [step.description.as_str(), &criteria, &files.join(" ")].join("\n");
    let owner = step.owner.as_ref().map_or("", |owner| owner.text.as_str());
    let references =
        library.matching(&[library.execute_skill(), step.id_text(), owner], &task, error, REFERENCE_BUDGET);
    let dep = |id: &str| document.steps.iter().find(|step| step.id_text() == id);
    let deps = step
        .deps
        .iter()
        .filter_map(|id| dep(&id.text))
        .map(|dep| DepReport { id: dep.id_text(), result: loaded.plan.last_report(dep).map(|(_, result)| result) });
    Ok(prompt::build(&PromptInput {
        plan: &loaded.id,
        title: field("title"),
        goal,
        step,
        attempt,
        isolated: is_isolated,
        deps: deps.collect(),
        failures: &failures,
        references: &references,
        budget: REFERENCE_BUDGET,
    }))
}
