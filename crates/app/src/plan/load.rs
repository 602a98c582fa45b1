//! Finds a plan by its id and loads it, with its reports if they matter. A plan with errors is never used.

use crate::{Error, ErrorKind, Workspace};
use canonry_lint::{Finding, RuleSet};
use canonry_model::canon::Layout;
use canonry_model::canon::plan::{Plan, PlanDocument, PlanStep};
use canonry_model::canon::report::ReportName;
use canonry_repo::view::PathKind;
use canonry_repo::view::plan_files::plans_by_id;
use canonry_text::RepoPath;
use canonry_text::closest_match;
use std::path::Path;

/// Rules whose findings make the order or the status of steps uncertain, whatever severity is configured.
const FATAL_RULES: [&str; 5] =
    ["file-unreadable", "plan-schema", "plan-duplicate-id", "plan-unknown-dep", "plan-cycle"];

/// Help for a step without a path for its reports.
pub(super) const NO_REPORT_HELP: &str = "reports need a plan below plans/ and a step id that can be a file name";

/// A plan without errors.
pub(super) struct LoadedPlan {
    pub id: String,
    pub plan: Plan,
}

impl LoadedPlan {
    /// Loads the plan with an id, or the only plan, without its reports. Parses it only if its content is new.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`] if there is no such plan or it has errors; [`ErrorKind::Usage`] if there are several plans
    /// and no id.
    pub fn load(workspace: &Workspace, id: Option<&str>) -> Result<Self, Error> {
        workspace.require_canon()?;
        let (id, path) = find(workspace, id)?;
        let plan = workspace.env.plans.plan(&workspace.view, &path, &workspace.layout)?;
        match first_error(&plan) {
            Some(finding) => Err(broken(workspace, &finding)),
            None => Ok(Self { id, plan }),
        }
    }

    /// The same with the reports on its steps.
    ///
    /// # Errors
    /// See [`Self::load`].
    pub fn load_with_reports(workspace: &Workspace, id: Option<&str>) -> Result<Self, Error> {
        let Self { id, plan } = Self::load(workspace, id)?;
        let plan = workspace.env.plans.with_reports(plan, &workspace.view, &workspace.layout)?;
        Ok(Self { id, plan })
    }

    /// The plan with its text.
    ///
    /// # Errors
    /// The file is not readable, which [`Self::load`] has reported already.
    pub fn document(&self) -> Result<&PlanDocument, Error> {
        let unreadable = || Error::new(ErrorKind::Unreadable, format!("{} is not readable", self.plan.path));
        self.plan.document.as_deref().map_err(|_| unreadable())
    }

    /// The path of the report on an attempt at a step. `None` if the plan has no reports folder, or if the id cannot be part
    /// of a file name.
    pub fn report_path(&self, layout: &Layout, step: &str, attempt: u64) -> Option<RepoPath> {
        report_path(layout, &self.plan.path, step, attempt)
    }

    /// The path of the report on the next attempt at a step, and its number. `None` if the plan has no reports folder, or
    /// if the id cannot be part of a file name.
    pub fn next_report(&self, layout: &Layout, step: &PlanStep) -> Option<(RepoPath, u64)> {
        let last = self.plan.attempts_at(step).map(|attempt| attempt.number).max().unwrap_or_default();
        let number = last.checked_add(1)?;
        self.report_path(layout, step.id_text(), number).map(|path| (path, number))
    }
}

/// See [`LoadedPlan::report_path`].
pub(super) fn report_path(layout: &Layout, plan: &RepoPath, step: &str, attempt: u64) -> Option<RepoPath> {
    let id = Some(step).filter(|id| !id.contains(char::is_control))?;
    let path = layout.reports_on(plan)?.join(format!("{id}.{attempt}.json").as_str());
    let name = ReportName::from_path(&path, layout)?;
    (name.step == id && name.attempt == attempt).then_some(path)
}

/// The id and the path of the named plan, or of the only one.
fn find(workspace: &Workspace, id: Option<&str>) -> Result<(String, RepoPath), Error> {
    let mut plans = plans_by_id(&workspace.view, &workspace.layout)?;
    let ids: Vec<String> = plans.keys().cloned().collect();
    let unreadable = |message: String| Error::new(ErrorKind::Unreadable, message);
    if let Some(error) = id.and_then(|given| elsewhere(workspace, given, !ids.is_empty())) {
        return Err(error);
    }
    let id = match (id, ids.as_slice()) {
        (_, []) => {
            let folder = workspace.view.full(&workspace.layout.plans());
            let help = format!("add one as {folder}/<id>/plan.yaml, or name the folder of your plans in `plans.roots`");
            return Err(unreadable(format!("there is no plan in {folder}")).help(help));
        }
        (Some(given), ids) => id_of(workspace, given, |id| ids.iter().any(|known| known == id)),
        (None, [id]) => id.clone(),
        (None, ids) => {
            let message = format!("there are {} plans: name one", ids.len());
            return Err(Error::new(ErrorKind::Usage, message).help(format!("the plans are {}", ids.join(", "))));
        }
    };
    let Some(mut paths) = plans.remove(&id) else {
        let help = match closest_match(&id, ids.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`? the plans are {}", ids.join(", ")),
            None => format!("the plans are {}", ids.join(", ")),
        };
        return Err(unreadable(format!("there is no plan `{id}`")).help(help));
    };
    match (paths.pop(), paths.pop()) {
        (Some(path), None) => Ok((id, path)),
        (Some(second), Some(first)) => {
            let message = format!("two files are the plan `{id}`: {first} and {second}");
            Err(unreadable(message).help("rename or remove one of them"))
        }
        (None, _) => Err(unreadable(format!("there is no plan `{id}`"))),
    }
}

/// Whether a plan without errors has a step.
pub(crate) fn has_step(workspace: &Workspace, plan: &str, step: &str) -> bool {
    let loaded = LoadedPlan::load(workspace, Some(plan));
    let document = loaded.as_ref().ok().and_then(|loaded| loaded.document().ok());
    document.is_some_and(|document| document.steps.iter().any(|known| known.id_text() == step))
}

/// Resolves the id of a plan, or the path of its file or folder relative to the current folder, to the id. Returns `given` if it
/// names no plan.
pub(crate) fn id_of(workspace: &Workspace, given: &str, is_known: impl Fn(&str) -> bool) -> String {
    let Some(path) = workspace.inside(Path::new(given)).ok().filter(|_| !is_known(given)) else {
        return given.to_owned();
    };
    let files = [path.join("plan.yaml"), path];
    let mut ids = files.iter().filter_map(|file| workspace.layout.plan_id(file));
    ids.find(|id| is_known(id)).unwrap_or_else(|| given.to_owned())
}

/// The error about a file that is in no folder with plans; `None` if `given` is another name.
pub(crate) fn elsewhere(workspace: &Workspace, given: &str, has_plans: bool) -> Option<Error> {
    let path = workspace.inside(Path::new(given)).ok()?;
    if workspace.view.kind(&path) != PathKind::File || workspace.layout.is_in_plans(&path) {
        return None;
    }
    let full = |path: &RepoPath| workspace.view.full(path).to_string();
    let error = Error::new(ErrorKind::Unreadable, format!("{} is in no folder with plans", full(&path)));
    let help = format!("move it to {}", full(&workspace.layout.plans()));
    let is_folder = |folder: &RepoPath| !folder.is_empty();
    let Some(folder) = path.parent().filter(is_folder) else { return Some(error.help(help)) };
    // The folder of `<id>/plan.yaml` is the plan's own.
    let around = folder.parent().filter(is_folder).filter(|_| Layout::plan_files(&folder).contains(&path));
    let known = workspace.layout.plan_roots().iter().filter(|_| has_plans);
    let roots: Vec<String> = known.chain([around.as_ref().unwrap_or(&folder)]).map(full).collect();
    Some(error.help(format!("{help}, or set `plans: {{roots: [{}]}}` in the config", roots.join(", "))))
}

/// The first error of a plan in file order.
pub(super) fn first_error(plan: &Plan) -> Option<Finding> {
    // Those with a severity of their own are no errors.
    let fatal = RuleSet::of(|rule| FATAL_RULES.contains(&rule.id));
    let is_fatal = |finding: &Finding| finding.defaults.is_none();
    fatal.check(plan).into_iter().filter(is_fatal).min_by_key(|finding| finding.location.span)
}

pub(super) fn broken(workspace: &Workspace, finding: &Finding) -> Error {
    let path = workspace.view.full(&finding.location.path);
    let at = finding.location.position;
    let message = format!("{path}:{}:{}: {}", at.line, at.column, finding.message);
    Error::new(ErrorKind::Unreadable, message).help(format!("run `canonry check {path}`"))
}

/// The error about a step that the plan does not have.
pub(super) fn no_step(id: &str, steps: &[PlanStep]) -> Error {
    let error = Error::new(ErrorKind::Unreadable, format!("the plan has no step `{id}`"));
    error.suggest(id, steps.iter().map(PlanStep::id_text), "run `canonry run show` to see all steps")
}
