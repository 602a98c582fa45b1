//! The commands of a plan as its last commit has them. Nothing else of a plan ever reaches a shell.

use super::gate;
use super::load::LoadedPlan;
use crate::{Error, ErrorKind, RepoPath, Workspace};
use canonry_model::canon::plan::{PlanDocument, PlanStep, StepStatus};
use canonry_repo::view::Basis;
use gix::ObjectId;
use std::collections::HashMap;
use std::sync::Arc;

/// The steps of a plan in `HEAD`; none without a readable one.
///
/// # Errors
/// The schemas cannot be read.
pub(super) fn committed_plan(workspace: &Workspace, path: &RepoPath) -> Result<Option<Arc<PlanDocument>>, Error> {
    let Ok(view) = workspace.open_view(&Basis::Commit("HEAD".to_owned())) else { return Ok(None) };
    Ok(workspace.env.plans.plan(&view, path, &workspace.layout)?.document.ok())
}

/// The last commit, if the step has a decision there.
///
/// # Errors
/// See [`committed_plan`].
pub(super) fn decided_at(workspace: &Workspace, path: &RepoPath, step: &str) -> Result<Option<ObjectId>, Error> {
    let status = status_in(committed_plan(workspace, path)?.as_deref(), step);
    Ok(if status.is_decided() { workspace.repo()?.head_id().ok().map(gix::Id::detach) } else { None })
}

/// The status of a step in a plan; pending if it does not have the step.
pub(super) fn status_in(plan: Option<&PlanDocument>, step: &str) -> StepStatus {
    let mut steps = plan.into_iter().flat_map(|plan| &plan.steps);
    steps.find(|one| one.id_text() == step).map_or(StepStatus::Pending, |step| step.status)
}

/// The `Run:` commands of each step in `HEAD`.
pub(super) struct CommittedCommands {
    commands: HashMap<String, Vec<String>>,
    /// The plan's file, for messages.
    path: String,
}

impl CommittedCommands {
    /// Reads the plan in `HEAD`. Without a readable one, no command is committed.
    ///
    /// # Errors
    /// The schemas cannot be read.
    pub fn load(workspace: &Workspace, loaded: &LoadedPlan) -> Result<Self, Error> {
        let path = workspace.view.full(&loaded.plan.path).to_display();
        let plan = committed_plan(workspace, &loaded.plan.path)?;
        let steps = plan.as_ref().map_or(&[][..], |document| &document.steps);
        let commands = |step: &PlanStep| gate::commands(step).map(str::to_owned).collect();
        let commands = steps.iter().map(|step| (step.id_text().to_owned(), commands(step))).collect();
        Ok(Self { commands, path })
    }

    /// Checks that the commands of a step are committed, all of them and no others.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] if they are not.
    pub fn require(&self, step: &PlanStep) -> Result<(), Error> {
        let mut commands = gate::commands(step);
        let committed = self.commands.get(step.id_text()).map_or(&[][..], Vec::as_slice);
        let first_other = commands.find(|command| !committed.iter().any(|one| one == command));
        let Some(command) = first_other else { return Ok(()) };
        let message = format!("`Run: {command}` of step `{}` is not committed, so it is not run", step.id_text());
        let help = format!("review and commit {}, then run this again", self.path);
        Err(Error::new(ErrorKind::Refused, message).help(help))
    }
}
