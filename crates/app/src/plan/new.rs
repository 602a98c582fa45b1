//! Begins a plan: writes an intake to fill in, then a plan with one step per acceptance criterion.

use super::load;
use super::plan_folder::{PlanFolder, read_text, write_text};
use crate::{Error, ErrorKind, RepoPath, Workspace, file_edits};
use canonry_repo::view::plan_files::plans_by_id;
use canonry_repo::view::{PathKind, load as view_load};
use canonry_runs::plan::intake::{Intake, new_intake};
use canonry_runs::plan::new_plan::{check_plan_id, plan_from_intake, plan_from_template};
use std::path::PathBuf;

/// Name and task of a new plan.
#[derive(Clone, Debug, Default)]
pub struct NewPlanRequest {
    /// The plan's id, the name of its folder.
    pub id: String,
    /// Whether to write the plan from the intake, and nothing if the intake is missing or not closed.
    pub from_intake: bool,
    /// A plan to copy, with every step pending: its id, or a path relative to the current folder.
    pub template: Option<String>,
}

/// Files of the new plan.
#[derive(Clone, Debug)]
pub struct NewPlanOutcome {
    /// The plan's id.
    pub id: String,
    /// The new intake, from the top of the repository; `None` if there was one.
    pub intake: Option<RepoPath>,
    /// The new plan; `None` if the intake must be filled in first.
    pub plan: Option<RepoPath>,
}

/// Writes the intake if there is none. With a closed intake or a template, writes the plan. Never overwrites a file.
///
/// # Errors
/// [`ErrorKind::Usage`] if the id is not valid; [`ErrorKind::Refused`] if the plan exists, or if the intake is not closed;
/// [`ErrorKind::Unreadable`] if the template is not found or has errors.
pub fn run(workspace: &Workspace, request: &NewPlanRequest) -> Result<NewPlanOutcome, Error> {
    let id = request.id.as_str();
    check_plan_id(id)
        .map_err(|error| Error::new(ErrorKind::Usage, format!("`{id}` is not a plan id")).help(error.to_string()))?;
    workspace.require_canon()?;
    let mut session = file_edits::begin_plan(workspace)?;
    let folder = PlanFolder::new(workspace, id);
    if let Some(plan) = &folder.plan {
        return Err(Error::new(ErrorKind::Refused, format!("{} exists", workspace.view.full(plan)))
            .help(format!("choose another id, or edit the plan; `canonry run check {id}` says what is missing")));
    }
    let intake = folder.intake();
    let has_intake = workspace.view.kind(&intake) != PathKind::Nothing;
    if request.from_intake && !has_intake {
        return Err(Error::new(ErrorKind::Refused, format!("{} does not exist", workspace.view.full(&intake)))
            .help(format!("run `canonry run new {id}` to begin one")));
    }
    let plan = match &request.template {
        Some(template) => Some(from_template(workspace, &folder, template)?),
        None if has_intake => Some((folder.new_plan("yaml"), from_intake(workspace, &folder, &intake)?)),
        None => None,
    };
    // Both are computed before the first write.
    let new_intake = (!has_intake).then(|| (intake, new_intake(id)));
    let mut written = [None, None];
    for (slot, file) in written.iter_mut().zip([new_intake, plan]) {
        let Some((path, text)) = file else { continue };
        write_text(workspace, &mut session, &path, text)?;
        *slot = Some(workspace.view.full(&path));
    }
    let [intake, plan] = written;
    Ok(NewPlanOutcome { id: id.to_owned(), intake, plan })
}

fn from_intake(workspace: &Workspace, folder: &PlanFolder, path: &RepoPath) -> Result<String, Error> {
    let full = workspace.view.full(path);
    let text = read_text(workspace, path)
        .ok_or_else(|| Error::new(ErrorKind::Unreadable, format!("{full} is not readable as UTF-8")))?;
    let intake = Intake::parse(&text);
    match intake.open_reason() {
        None => Ok(plan_from_intake(&folder.id, &intake)),
        Some(why) => Err(Error::new(ErrorKind::Refused, format!("{full} is not closed: {why}"))
            .help(format!("fill it in, then run `canonry run new {}` again", folder.id))),
    }
}

fn from_template(workspace: &Workspace, folder: &PlanFolder, name: &str) -> Result<(RepoPath, String), Error> {
    let known =
        plans_by_id(&workspace.view, &workspace.layout)?.remove(name).and_then(|paths| paths.into_iter().next());
    let path = match known {
        Some(path) => path,
        None => workspace.inside(&PathBuf::from(name))?,
    };
    let unreadable = |message: String| Error::new(ErrorKind::Unreadable, message);
    if workspace.view.kind(&path) == PathKind::Nothing {
        let message = format!("there is no template `{name}`");
        return Err(unreadable(message).help("name a plan in agent/plans, or the file of a plan in this repository"));
    }
    let schemas = view_load::schemas(&workspace.view, &workspace.layout)?;
    let plan = view_load::bare_plan(&workspace.view, &path, &schemas);
    if let Some(finding) = load::first_error(&plan) {
        return Err(load::broken(workspace, &finding));
    }
    let document = plan.document.as_ref().map_err(|_| unreadable(format!("{path} is not readable")))?;
    let text = plan_from_template(document).ok_or_else(|| {
        Error::new(ErrorKind::Refused, format!("the statuses of {path} cannot be set to pending"))
            .help("write each `status:` as plain text, without an alias")
    })?;
    let extension = if path.file_name().ends_with(b".json") { "json" } else { "yaml" };
    Ok((folder.new_plan(extension), text))
}
