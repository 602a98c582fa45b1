//! The combined report of a plan.

use super::StepStatus;
use super::load::LoadedPlan;
use super::plan_folder::{read_text, verification, write_text};
use crate::{Error, ErrorKind, RepoPath, Workspace, file_edits};
use canonry_model::canon::PathKind;
use canonry_model::canon::phase_artifact::missing_content;
use canonry_runs::plan::combined::MARKER;
pub use canonry_runs::plan::combined::{CombinedAttempt, CombinedReport, CombinedStep, PlanOutcome};

/// Which plan to report on.
#[derive(Clone, Debug, Default)]
pub struct PlanReportRequest {
    /// The plan's id; the only plan by default.
    pub plan: Option<String>,
    /// Whether to store the report as `reports/<id>/combined.json` and `report.md`.
    pub write: bool,
}

/// The report.
#[derive(Clone, Debug)]
pub struct PlanReport {
    /// The combined report.
    pub report: CombinedReport,
    /// The written files, from the top of the repository.
    pub written: Vec<RepoPath>,
    /// A page that a person wrote and that was left alone.
    pub kept: Option<RepoPath>,
}

/// Combines the reports of a plan, and stores the result if the request says so.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if the plan is not found or has errors. When writing: [`ErrorKind::Refused`] if a step is not
/// complete, or if there is no verification, or it does not hold, or it is older than the last report.
pub fn run(workspace: &Workspace, request: &PlanReportRequest) -> Result<PlanReport, Error> {
    let mut session = request.write.then(|| file_edits::begin_plan(workspace)).transpose()?;
    let loaded = LoadedPlan::load_with_reports(workspace, request.plan.as_deref())?;
    let folder = loaded.folder(workspace);
    let report = CombinedReport::build(&loaded.id, &loaded.plan, verification(workspace, &folder, &loaded.plan));
    let mut outcome = PlanReport { report, written: Vec::new(), kept: None };
    let Some(session) = &mut session else { return Ok(outcome) };
    require_verified(&loaded.id, &outcome.report)?;
    let page = folder.report_page(workspace);
    let is_replaceable = workspace.view.kind(&page) == PathKind::Nothing
        || read_text(workspace, &page).is_some_and(|text| text.contains(MARKER) || missing_content(&text).is_some());
    let mut files = vec![(folder.combined(workspace), outcome.report.to_json())];
    if is_replaceable {
        files.push((page, outcome.report.to_markdown()));
    } else {
        outcome.kept = Some(workspace.view.full(&page));
    }
    for (path, text) in files {
        if write_text(workspace, session, &path, text)? {
            outcome.written.push(workspace.view.full(&path));
        }
    }
    Ok(outcome)
}

/// The gate of the last phase.
fn require_verified(id: &str, report: &CombinedReport) -> Result<(), Error> {
    let refused = |message: String| Err(Error::new(ErrorKind::Refused, message));
    if let Some(step) = report.steps.iter().find(|step| step.status != StepStatus::Complete) {
        return refused(format!("the plan `{id}` is not done: `{}` is {}", step.id, step.status.as_str()));
    }
    if let Some(step) = report.steps.iter().find(|step| !step.is_proved(&report.attempts)) {
        let message = format!("the plan `{id}` is not done: `{}` is complete without a report of success", step.id);
        let help = format!("run `canonry run set {id} {} pending --reason TEXT`, then finish it", step.id);
        return Err(Error::new(ErrorKind::Refused, message).help(help));
    }
    match (&report.verification.path, &report.verification.problem) {
        (None, _) => refused(format!("the plan `{id}` has no verification")),
        (Some(path), Some(problem)) => refused(format!("{path} does not allow the report: {problem}")),
        (Some(_), None) => Ok(()),
    }
    .map_err(|error: Error| error.help(format!("run `canonry run verify {id}`, then this again")))
}
