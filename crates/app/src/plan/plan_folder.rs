//! The artifacts of a plan's phases: its folder, intake, verification and combined report.

use super::edits;
use super::load::{self, LoadedPlan};
use crate::{Error, ErrorKind, Workspace};
use canonry_model::canon::Layout;
use canonry_model::canon::plan::{Plan, StepStatus};
use canonry_model::canon::timestamp::Timestamp;
use canonry_repo::apply::Session;
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_repo::view::plan_files::{attempts, plans_by_id};
use canonry_repo::view::{IgnoreMode, PathKind, load as view_load};
use canonry_runs::plan::intake::{Intake, OpenIntake};
use canonry_runs::plan::new_plan::UNKNOWN_OWNER;
use canonry_runs::plan::phases::{ArtifactState, PhaseInput, PhaseState, phase};
use canonry_runs::plan::verification::{VERIFICATION_FILES, page_state, verification_state};
use canonry_runs::report::{REPORT_SCHEMA, ReportedVerification, RunReport};
use canonry_text::{RepoPath, json};
use std::collections::BTreeMap;

/// The plans by id, each with its plan file or its intake.
///
/// # Errors
/// A folder cannot be listed.
pub(crate) fn paths(workspace: &Workspace) -> Result<BTreeMap<String, RepoPath>, Error> {
    let plans = workspace.layout.plans();
    let listing = workspace.view.list(&plans, IgnoreMode::Exclude)?;
    let intakes = listing.files.iter().map(|file| &file.entry.path).filter(|path| is_intake_of(path, &plans));
    let id = |path: &RepoPath| path.parent().map(|folder| folder.file_name_lossy());
    let mut paths: BTreeMap<String, RepoPath> = intakes.filter_map(|path| Some((id(path)?, path.clone()))).collect();
    let files = plans_by_id(&workspace.view, &workspace.layout)?;
    paths.extend(files.into_iter().filter_map(|(id, files)| Some((id, files.into_iter().next()?))));
    Ok(paths)
}

/// The folder of a plan, which may not have a plan yet.
pub(crate) struct PlanFolder {
    /// The plan's id, which is the name of the folder.
    pub id: String,
    /// `plans/<id>/`
    path: RepoPath,
    /// The plan file, if it exists.
    pub plan: Option<RepoPath>,
}

impl PlanFolder {
    /// The folder with an id, whether or not it exists.
    pub fn new(workspace: &Workspace, id: &str) -> Self {
        let path = workspace.layout.plans().join(id);
        let plan = Layout::plan_files(&path).into_iter().find(|file| workspace.view.kind(file) != PathKind::Nothing);
        Self { id: id.to_owned(), path, plan }
    }

    /// The folder of a plan that [`paths`] found.
    pub fn with_file(workspace: &Workspace, id: &str, path: RepoPath) -> Self {
        let folder = Self::new(workspace, id);
        if path == folder.intake() { folder } else { Self { plan: Some(path), ..folder } }
    }

    /// The phase of the plan.
    ///
    /// # Errors
    /// See [`phase_of`].
    pub fn phase(&self, workspace: &Workspace) -> Result<PhaseState, Error> {
        phase_of(workspace, self, None)
    }

    /// `plans/<id>/intake.md`
    pub fn intake(&self) -> RepoPath {
        self.path.join("intake.md")
    }

    /// `plans/<id>/plan.yaml`
    pub fn new_plan(&self, extension: &str) -> RepoPath {
        self.path.join(format!("plan.{extension}").as_str())
    }

    /// `reports/<id>/`
    pub fn reports(&self, workspace: &Workspace) -> RepoPath {
        workspace.layout.reports().join(self.id.as_str())
    }

    /// `reports/<id>/combined.json`
    pub fn combined(&self, workspace: &Workspace) -> RepoPath {
        self.reports(workspace).join("combined.json")
    }

    /// `reports/<id>/report.md`
    pub fn report_page(&self, workspace: &Workspace) -> RepoPath {
        self.reports(workspace).join("report.md")
    }

    /// The verification file, if there is one.
    pub fn verification(&self, workspace: &Workspace) -> Option<RepoPath> {
        let folders = [self.reports(workspace), self.path.clone()];
        let files = folders.iter().flat_map(|folder| VERIFICATION_FILES.iter().map(|name| folder.join(name)));
        files.into_iter().find(|file| workspace.view.kind(file) != PathKind::Nothing)
    }
}

fn is_intake_of(path: &RepoPath, plans: &RepoPath) -> bool {
    path.file_name() == "intake.md" && path.parent().and_then(|folder| folder.parent()).as_ref() == Some(plans)
}

/// The phase of a plan. A broken plan is not ready; this never fails because of one. `loaded` is the plan with its reports if
/// it is known to have no errors.
///
/// # Errors
/// A folder cannot be listed.
pub(super) fn phase_of(
    workspace: &Workspace,
    folder: &PlanFolder,
    loaded: Option<&LoadedPlan>,
) -> Result<PhaseState, Error> {
    let view = &workspace.view;
    let full = |path: &RepoPath| view.full(path).to_display();
    let schemas = view_load::schemas(view, &workspace.layout)?;
    let mut read = match (loaded, &folder.plan) {
        (None, Some(path)) => Some(view_load::bare_plan(view, path, &schemas)),
        _ => None,
    };
    let plan = loaded.map(|loaded| &loaded.plan).or(read.as_ref());
    let plan_path = folder.plan.clone().unwrap_or_else(|| folder.new_plan("yaml"));
    let plan_state = match plan {
        None => ArtifactState::Missing,
        Some(plan) => {
            let error = if loaded.is_none() { load::first_error(plan) } else { None };
            error.map_or_else(|| plan_artifact(plan), |finding| ArtifactState::Invalid(finding.message))
        }
    };
    let steps = plan.and_then(|plan| plan.document.as_ref().ok()).map(|document| document.steps.as_slice());
    let open = steps.unwrap_or_default().iter().filter(|step| step.status != StepStatus::Complete);
    let open_steps: Vec<String> = open.map(|step| step.id_text().to_owned()).collect();
    let intake = folder.intake();
    let mut input = PhaseInput {
        intake: (full(&intake), text_artifact(workspace, &intake, intake_artifact)),
        plan: (full(&plan_path), plan_state),
        open_steps,
        verification: (full(&folder.reports(workspace).join("verification.md")), ArtifactState::Missing),
        report: (full(&folder.combined(workspace)), ArtifactState::Missing),
    };
    // The last two phases need the reports, which a plan in progress does not load.
    if input.open_steps.is_empty()
        && let Some(plan) = read.take()
    {
        let attempts = attempts(view, &plan.path, &schemas, &workspace.layout)?;
        read = Some(plan.with_attempts(attempts));
    }
    let plan = loaded.map(|loaded| &loaded.plan).or(read.as_ref());
    if let (Some(plan), true) = (plan, input.open_steps.is_empty()) {
        let verification = verification(workspace, folder, plan);
        if let Some(ReportedVerification { path, problem }) = verification.clone() {
            input.verification = (path, problem.map_or(ArtifactState::Valid, ArtifactState::Invalid));
        }
        let report = RunReport::of_plan(&folder.id, plan, verification);
        input.report = report_artifact(workspace, folder, &report);
    }
    Ok(phase(&input))
}

/// The verification of a plan that has its reports.
pub(super) fn verification(workspace: &Workspace, folder: &PlanFolder, plan: &Plan) -> Option<ReportedVerification> {
    let path = folder.verification(workspace)?;
    let times = plan.attempts.iter().filter_map(|attempt| attempt.result.as_ref()?.timestamp);
    let last: Option<Timestamp> = times.max();
    let name = path.file_name_lossy();
    let problem = match text_artifact(workspace, &path, |text| verification_state(&name, text, last)) {
        ArtifactState::Valid => None,
        ArtifactState::Missing => Some("it is not readable".to_owned()),
        ArtifactState::Empty => Some("it is empty".to_owned()),
        ArtifactState::Invalid(why) => Some(why),
    };
    Some(ReportedVerification { path: workspace.view.full(&path).to_display(), problem })
}

/// The text of a file; `None` if there is no file, or if its content is not UTF-8.
pub(super) fn read_text(workspace: &Workspace, path: &RepoPath) -> Option<String> {
    workspace.view.read(path, DOCUMENT_LIMIT).into_text()
}

fn text_artifact(workspace: &Workspace, path: &RepoPath, check: impl Fn(&str) -> ArtifactState) -> ArtifactState {
    match (workspace.view.kind(path), read_text(workspace, path)) {
        (PathKind::Nothing, _) => ArtifactState::Missing,
        (_, None) => ArtifactState::Invalid("it is not readable as UTF-8".to_owned()),
        (_, Some(text)) if text.trim().is_empty() => ArtifactState::Empty,
        (_, Some(text)) => check(&text),
    }
}

/// Checks that the intake, if there is one, is closed: an open question could change the plan.
///
/// # Errors
/// [`ErrorKind::Refused`] if it is not.
pub(super) fn require_closed_intake(workspace: &Workspace, id: &str) -> Result<(), Error> {
    let path = PlanFolder::new(workspace, id).intake();
    let why = match text_artifact(workspace, &path, intake_artifact) {
        ArtifactState::Missing | ArtifactState::Valid => return Ok(()),
        ArtifactState::Empty => "it has only headings, comments or placeholders".to_owned(),
        ArtifactState::Invalid(why) => why,
    };
    let message = format!("{} is not closed: {why}", workspace.view.full(&path));
    Err(Error::new(ErrorKind::Refused, message).help("answer it there, adapt the plan, then run this again"))
}

fn intake_artifact(text: &str) -> ArtifactState {
    match Intake::parse(text).open_reason() {
        None => ArtifactState::Valid,
        Some(OpenIntake::Empty) => ArtifactState::Empty,
        Some(why) => ArtifactState::Invalid(why.to_string()),
    }
}

fn plan_artifact(plan: &Plan) -> ArtifactState {
    let steps = plan.document.as_ref().map(|document| document.steps.as_slice()).unwrap_or_default();
    let is_unowned = |owner: &str| owner == UNKNOWN_OWNER;
    match steps.iter().find(|step| step.owner.as_ref().is_some_and(|owner| is_unowned(&owner.text))) {
        _ if steps.is_empty() => ArtifactState::Empty,
        Some(step) => ArtifactState::Invalid(format!("name the owner of `{}`", step.id_text())),
        None => ArtifactState::Valid,
    }
}

/// `combined.json`, or a page that a person wrote.
fn report_artifact(workspace: &Workspace, folder: &PlanFolder, report: &RunReport) -> (String, ArtifactState) {
    let combined = folder.combined(workspace);
    let page = folder.report_page(workspace);
    let check = |text: &str| match json::parse(text, 0) {
        Err(error) => ArtifactState::Invalid(format!("invalid JSON: {error}")),
        Ok(document) => {
            let schema = document.root.get("schema").and_then(|schema| schema.as_str());
            if schema == Some(REPORT_SCHEMA) && text != report.to_json() {
                ArtifactState::Invalid("it is out of date: run `canonry run report --write`".to_owned())
            } else {
                ArtifactState::Valid
            }
        }
    };
    let full = |path: &RepoPath| workspace.view.full(path).to_display();
    match text_artifact(workspace, &combined, check) {
        ArtifactState::Missing => match text_artifact(workspace, &page, page_state) {
            ArtifactState::Missing => (full(&combined), ArtifactState::Missing),
            state => (full(&page), state),
        },
        state => (full(&combined), state),
    }
}

/// Writes a file of the canon; `false` if it has that text already.
///
/// # Errors
/// The folder is a symbolic link, or the file changed meanwhile.
pub(super) fn write_text(
    workspace: &Workspace,
    session: &mut Session,
    path: &RepoPath,
    text: String,
) -> Result<bool, Error> {
    let edit = edits::text_edit(workspace, path.clone(), text)?;
    let is_new = edit.was() != edit.now();
    if is_new {
        edits::write(workspace, session, edit)?;
    }
    Ok(is_new)
}

impl LoadedPlan {
    /// Its folder.
    pub(super) fn folder(&self, workspace: &Workspace) -> PlanFolder {
        let path = workspace.layout.plans().join(self.id.as_str());
        PlanFolder { id: self.id.clone(), path, plan: Some(self.plan.path.clone()) }
    }
}
