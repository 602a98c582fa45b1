//! Checks one plan with its reports, and says which phase it is in.

use super::plan_folder::{PlanFolder, phase_of};
use crate::check::{self, CheckReport, CheckRequest};
use crate::{Environment, Error, Progress, Workspace};
use canonry_repo::view::{Basis, PathKind};
use canonry_runs::plan::phases::PhaseState;
use std::path::PathBuf;

/// The findings and the phase.
#[derive(Debug)]
pub struct CheckedPlan {
    /// The plan's id.
    pub plan: String,
    /// The phase, and what is missing for the next one.
    pub phase: PhaseState,
    /// Findings about the plan and its reports.
    pub report: CheckReport,
}

/// Checks the plan file, by default the only one, and the reports with all rules.
///
/// # Errors
/// See [`check::run`]; also if there is no such plan.
pub fn run(env: &Environment, plan: Option<&str>, progress: &dyn Progress) -> Result<CheckedPlan, Error> {
    let mut workspace = Workspace::open(env, &Basis::WorkTree)?;
    let folder = PlanFolder::find(&workspace, plan)?;
    let paths = folder.plan.clone().into_iter().chain([folder.intake(), folder.reports(&workspace)]);
    let paths = paths.filter(|path| workspace.view.kind(path) != PathKind::Nothing);
    let paths: Vec<PathBuf> = paths.filter_map(|path| workspace.view.on_disk(&path)).collect();
    // Both parse the plan, which takes most of the time. A repository cannot be shared between threads.
    let (phase, report) = rayon::join(
        || phase_of(&Workspace::open(env, &Basis::WorkTree)?, &folder, None),
        || {
            if paths.is_empty() {
                Ok(CheckReport::default())
            } else {
                check::check(&mut workspace, &CheckRequest { paths, ..CheckRequest::default() }, progress)
            }
        },
    );
    let phase = phase?;
    let report = report?;
    Ok(CheckedPlan { plan: folder.id, phase, report })
}
