//! The combined report of a plan.

use super::load::LoadedPlan;
use super::plan_folder::{read_text, verification, write_text};
use crate::{Error, ErrorKind, RepoPath, Workspace, file_edits};
use canonry_model::canon::PathKind;
use canonry_model::canon::phase_artifact::missing_content;
use canonry_runs::report::{MARKER, ReportedStatus, ReportedVerification, RunReport};

/// A report, and where it is stored.
#[derive(Clone, Debug)]
pub struct WrittenReport {
    /// The report.
    pub report: RunReport,
    /// The written files, from the top of the repository.
    pub written: Vec<RepoPath>,
    /// A page that a person wrote and that was left alone.
    pub kept: Option<RepoPath>,
}

/// Combines the reports of a plan, and with `write` stores the result as `combined.json` and `report.md`.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if the plan is not found or has errors. When writing: [`ErrorKind::Refused`] if a step is not
/// complete, or if there is no verification, or it does not hold, or it is older than the last report.
pub(crate) fn run(workspace: &Workspace, plan: &str, write: bool) -> Result<WrittenReport, Error> {
    let mut session = write.then(|| file_edits::begin_plan(workspace)).transpose()?;
    let loaded = LoadedPlan::load_with_reports(workspace, Some(plan))?;
    let folder = loaded.folder(workspace);
    let report = RunReport::of_plan(&loaded.id, &loaded.plan, verification(workspace, &folder, &loaded.plan));
    let mut outcome = WrittenReport { report, written: Vec::new(), kept: None };
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
fn require_verified(id: &str, report: &RunReport) -> Result<(), Error> {
    let refused = |message: String| Err(Error::new(ErrorKind::Refused, message));
    if let Some(step) = report.steps.iter().find(|step| step.status != ReportedStatus::Complete) {
        return refused(format!("the plan `{id}` is not done: `{}` is {}", step.name, step.status.as_str()));
    }
    if let Some(step) = report.steps.iter().find(|step| !step.is_proved()) {
        let message = format!("the plan `{id}` is not done: `{}` is complete without a report of success", step.name);
        let help = format!("run `canonry run set {id} {} pending --reason TEXT`, then finish it", step.name);
        return Err(Error::new(ErrorKind::Refused, message).help(help));
    }
    match &report.verification {
        None => refused(format!("the plan `{id}` has no verification")),
        Some(ReportedVerification { path, problem: Some(problem) }) => {
            refused(format!("{path} does not allow the report: {problem}"))
        }
        Some(ReportedVerification { problem: None, .. }) => Ok(()),
    }
    .map_err(|error: Error| error.help(format!("run `canonry run verify {id}`, then this again")))
}
