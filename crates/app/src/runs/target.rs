//! Resolves the target of a command: a plan, a workflow, or a run of a workflow.

use crate::plan;
use crate::workflow;
use crate::{Error, ErrorKind, RepoPath, Workspace};
use std::collections::BTreeMap;
use std::path::Path;

/// A plan, a workflow, or a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunTarget {
    /// The plan with an id.
    Plan(String),
    /// The workflow with a name.
    Workflow(String),
    /// The run with an id.
    Run(String),
}

/// Something that is executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanOrRun {
    /// The plan with an id.
    Plan(String),
    /// The run of a workflow with an id.
    Run(String),
}

impl RunTarget {
    /// The target with a name, an id or a path. Without one: the only plan or run that is open.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`] if it does not exist; [`ErrorKind::Usage`] if several could be meant.
    pub fn resolve(workspace: &Workspace, given: Option<&str>) -> Result<Self, Error> {
        let known = KnownTargets::load(workspace)?;
        match given {
            Some(given) => known.named(given)?.ok_or_else(|| known.unknown(given)),
            None => known.only(),
        }
    }

    /// The target and the step of `[TARGET] [STEP]`. A single word is the name of a target, or a step of the only plan or run.
    ///
    /// # Errors
    /// Those of [`Self::resolve`]; [`ErrorKind::Usage`] if a word names a target and a step.
    pub fn resolve_step(workspace: &Workspace, words: &[String]) -> Result<(Self, Option<String>), Error> {
        let known = KnownTargets::load(workspace)?;
        let word = match words {
            [target, step, ..] => {
                let target = known.named(target)?.ok_or_else(|| known.unknown(target))?;
                return Ok((target, Some(step.clone())));
            }
            [word] => word,
            [] => return Ok((known.only()?, None)),
        };
        match (known.named(word)?, known.only()) {
            (Some(target), Ok(Self::Plan(plan))) if plan::has_step(workspace, &plan, word) => {
                let message = format!("`{word}` is {} and a step of the plan `{plan}`", target.kind());
                Err(Error::new(ErrorKind::Usage, message).help(format!("name both: `{plan} {word}`")))
            }
            (Some(target), _) => Ok((target, None)),
            (None, Ok(only @ (Self::Plan(_) | Self::Run(_)))) => Ok((only, Some(word.clone()))),
            (None, _) => Err(known.unknown(word)),
        }
    }

    /// Replaces a workflow by its only open run, otherwise by its last run.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`] if it has no run; [`ErrorKind::Usage`] if several are open.
    pub fn started(self, workspace: &Workspace) -> Result<PlanOrRun, Error> {
        match self {
            Self::Plan(id) => Ok(PlanOrRun::Plan(id)),
            Self::Run(id) => Ok(PlanOrRun::Run(id)),
            Self::Workflow(name) => workflow::last_run(workspace, &name)?.map(PlanOrRun::Run).ok_or_else(|| {
                Error::new(ErrorKind::Unreadable, format!("the workflow `{name}` has no run"))
                    .help(format!("start one with `canonry run start {name} --task TEXT`"))
            }),
        }
    }

    /// The id of a plan. `instead` is the command for a workflow or a run with this name.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] for a workflow or a run.
    pub fn require_plan(self, instead: impl FnOnce(&str) -> String) -> Result<String, Error> {
        match self {
            Self::Plan(id) => Ok(id),
            Self::Workflow(ref name) | Self::Run(ref name) => {
                let message = format!("`{name}` is {}, not a plan", self.kind());
                Err(Error::new(ErrorKind::Refused, message).help(instead(name)))
            }
        }
    }

    /// The name of a workflow.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] for a plan or a run.
    pub fn require_workflow(self) -> Result<String, Error> {
        match self {
            Self::Workflow(name) => Ok(name),
            Self::Plan(ref id) | Self::Run(ref id) => {
                let message = format!("`{id}` is {}, not a workflow", self.kind());
                Err(Error::new(ErrorKind::Usage, message).help(format!("run `canonry run exec {id}`")))
            }
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Plan(_) => "a plan",
            Self::Workflow(_) => "a workflow",
            Self::Run(_) => "a run of a workflow",
        }
    }
}

/// Everything that a target can name.
struct KnownTargets<'w> {
    workspace: &'w Workspace,
    plans: BTreeMap<String, RepoPath>,
    workflows: BTreeMap<String, RepoPath>,
    /// The ids of runs, oldest first.
    runs: Vec<String>,
}

impl<'w> KnownTargets<'w> {
    fn load(workspace: &'w Workspace) -> Result<Self, Error> {
        workspace.require_canon()?;
        Ok(Self {
            workspace,
            plans: plan::paths(workspace)?,
            workflows: workflow::names(workspace)?,
            runs: workflow::run_ids(workspace)?,
        })
    }

    fn named(&self, given: &str) -> Result<Option<RunTarget>, Error> {
        let mut found = Vec::new();
        if let Some(path) = self.plans.get(given) {
            found.push((RunTarget::Plan(given.to_owned()), self.workspace.view.full(path)));
        }
        if let Some(path) = self.workflows.get(given) {
            found.push((RunTarget::Workflow(given.to_owned()), self.workspace.view.full(path)));
        }
        if self.runs.iter().any(|run| run == given) {
            let folder = self.workspace.layout.runs().join(given);
            found.push((RunTarget::Run(given.to_owned()), self.workspace.view.full(&folder)));
        }
        if found.len() > 1 {
            let places: Vec<String> =
                found.iter().map(|(target, path)| format!("{} ({path})", target.kind())).collect();
            let message = format!("`{given}` names {}", places.join(" and "));
            return Err(Error::new(ErrorKind::Usage, message).help("name its path"));
        }
        Ok(found.pop().map(|(target, _)| target).or_else(|| self.at_path(given)))
    }

    /// The target of a path relative to the current folder, or of the name of a workflow's file.
    fn at_path(&self, given: &str) -> Option<RunTarget> {
        let id = plan::id_of(self.workspace, given, |id| self.plans.contains_key(id));
        if self.plans.contains_key(&id) {
            return Some(RunTarget::Plan(id));
        }
        let bare = [".yaml", ".yml"].iter().find_map(|extension| given.strip_suffix(extension)).unwrap_or(given);
        let path = self.workspace.inside(Path::new(bare)).ok();
        let name = path.as_ref().map_or_else(|| bare.to_owned(), RepoPath::file_name_lossy);
        let is_in =
            |folder: &RepoPath| path.as_ref().and_then(RepoPath::parent).is_some_and(|parent| parent == *folder);
        if self.workflows.contains_key(&name) && (bare == name || is_in(&self.workspace.layout.workflows())) {
            return Some(RunTarget::Workflow(name));
        }
        (self.runs.contains(&name) && is_in(&self.workspace.layout.runs())).then_some(RunTarget::Run(name))
    }

    /// The target of a command without one.
    fn only(&self) -> Result<RunTarget, Error> {
        let open_runs = workflow::open_run_ids(self.workspace)?;
        // An intake alone is not executed.
        let plans = self.plans.iter().filter(|(_, path)| path.file_name() != "intake.md");
        let plans = plans.map(|(id, _)| RunTarget::Plan(id.clone()));
        let all: Vec<RunTarget> = plans.chain(open_runs.iter().cloned().map(RunTarget::Run)).collect();
        match (all.as_slice(), self.runs.last()) {
            ([only], _) => Ok(only.clone()),
            ([], Some(last)) => Ok(RunTarget::Run(last.clone())),
            ([], None) => match self.workflows.keys().next() {
                Some(only) if self.workflows.len() == 1 => Ok(RunTarget::Workflow(only.clone())),
                _ => Err(Error::new(ErrorKind::Unreadable, "there is no plan and no run of a workflow")
                    .help(
                        "begin one with `canonry run new ID` or `canonry run start WORKFLOW`, or name the folder of your plans \
                         in `plans.roots`",
                    )),
            },
            (several, _) => {
                let mut open = several.iter().filter(|target| self.is_open(target));
                match (open.next(), open.next()) {
                    (Some(only), None) => Ok(only.clone()),
                    _ => Err(self.several(&open_runs)),
                }
            }
        }
    }

    /// Whether work is left. A plan that cannot be read may have some.
    fn is_open(&self, target: &RunTarget) -> bool {
        match target {
            RunTarget::Plan(id) => !plan::status::is_complete(self.workspace, id).unwrap_or(false),
            RunTarget::Workflow(_) | RunTarget::Run(_) => true,
        }
    }

    fn several(&self, open_runs: &[String]) -> Error {
        let plans: Vec<&str> = self.plans.keys().map(String::as_str).collect();
        let runs: Vec<&str> = open_runs.iter().map(String::as_str).collect();
        let counted = |names: &[&str], one: &str, many: &str| match names.len() {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {many}")),
        };
        let counts = [counted(&plans, "plan", "plans"), counted(&runs, "open run", "open runs")];
        let message = counts.into_iter().flatten().collect::<Vec<_>>().join(" and ");
        Error::new(ErrorKind::Usage, format!("{message} could be meant: name one")).help(self.list(&[], &runs))
    }

    fn unknown(&self, given: &str) -> Error {
        if let Some(error) = plan::elsewhere(self.workspace, given, !self.plans.is_empty()) {
            return error;
        }
        let workflows: Vec<&str> = self.workflows.keys().map(String::as_str).collect();
        let runs: Vec<&str> = self.runs.iter().map(String::as_str).collect();
        let error = Error::new(ErrorKind::Unreadable, format!("there is no plan, workflow or run `{given}`"));
        let known = self.plans.keys().map(String::as_str).chain(workflows.iter().copied()).chain(runs.iter().copied());
        error.suggest(given, known, self.list(&workflows, &runs))
    }

    /// The names by kind.
    fn list(&self, workflows: &[&str], runs: &[&str]) -> String {
        let plans: Vec<&str> = self.plans.keys().map(String::as_str).collect();
        let kinds = [("plans", plans.as_slice()), ("workflows", workflows), ("runs", runs)];
        let kinds = kinds.into_iter().filter(|(_, names)| !names.is_empty());
        let kinds: Vec<String> = kinds.map(|(kind, names)| format!("the {kind} are {}", names.join(", "))).collect();
        if kinds.is_empty() { "begin a plan with `canonry run new ID`".to_owned() } else { kinds.join("; ") }
    }
}
