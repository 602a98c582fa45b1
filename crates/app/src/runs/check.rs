//! Checks plans with their reports, and workflows.

use super::target::RunTarget;
use crate::check::{self, CheckReport, CheckRequest};
use crate::plan::{self, PlanFolder};
use crate::{Environment, Error, Progress, RepoPath, Workspace, workflow};
use canonry_repo::view::{Basis, PathKind};
use canonry_runs::plan::phases::PhaseState;
use std::path::PathBuf;

/// The findings, and the phases of plans.
#[derive(Debug)]
pub struct CheckedRuns {
    /// The plans by id, each with its phase and what is missing for the next one.
    pub phases: Vec<(String, PhaseState)>,
    /// Findings about plans, reports and workflows.
    pub report: CheckReport,
}

/// Checks a plan or a workflow, by default all of them, with all rules.
///
/// # Errors
/// Those of [`RunTarget::resolve`] and [`check::run`].
pub fn run(env: &Environment, target: Option<&str>, progress: &dyn Progress) -> Result<CheckedRuns, Error> {
    let mut workspace = Workspace::open_canon(env)?;
    let target = target.map(|target| RunTarget::resolve(&workspace, Some(target))).transpose()?;
    let (plan, workflow) = match target {
        None => (None, None),
        Some(RunTarget::Plan(id)) => (Some(id), None),
        Some(RunTarget::Workflow(name)) => (None, Some(name)),
        Some(RunTarget::Run(id)) => (None, Some(workflow::of_run(&workspace, &id)?)),
    };
    let is_wanted = |id: &str, wanted: &Option<String>, other: &Option<String>| match wanted {
        Some(wanted) => wanted == id,
        None => other.is_none(),
    };
    let plans = plan::paths(&workspace)?.into_iter().filter(|(id, _)| is_wanted(id, &plan, &workflow));
    let plans: Vec<PlanFolder> = plans.map(|(id, path)| PlanFolder::with_file(&workspace, &id, path)).collect();
    let workflows = workflow::names(&workspace)?.into_iter().filter(|(name, _)| is_wanted(name, &workflow, &plan));
    let mut files: Vec<RepoPath> = workflows.map(|(_, path)| path).collect();
    for folder in &plans {
        files.extend(folder.plan.clone().into_iter().chain([folder.intake(), folder.reports(&workspace)]));
    }
    files.retain(|path| workspace.view.kind(path) != PathKind::Nothing);
    let paths: Vec<PathBuf> = files.iter().filter_map(|path| workspace.view.on_disk(path)).collect();
    // Both parse the plans, which takes most of the time. A repository cannot be shared between threads.
    let (phases, report) = rayon::join(
        || {
            let workspace = Workspace::open(env, &Basis::WorkTree)?;
            let phase = |folder: &PlanFolder| Ok((folder.id.clone(), folder.phase(&workspace)?));
            plans.iter().map(phase).collect::<Result<Vec<_>, Error>>()
        },
        || {
            if paths.is_empty() {
                Ok(CheckReport::default())
            } else {
                check::check(&mut workspace, &CheckRequest { paths, ..CheckRequest::default() }, progress)
            }
        },
    );
    Ok(CheckedRuns { phases: phases?, report: report? })
}
