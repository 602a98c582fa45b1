//! Records that a person approves a step.

use super::edits;
use super::gate::{self, Gates};
use super::load::{LoadedPlan, no_step};
use crate::{Error, ErrorKind, RepoPath, Workspace};
use canonry_model::canon::approval::{Approval, content_digest};
use canonry_repo::git::commit::committer;
use canonry_runs::plan::{Gate, StepStates};

/// The approval of a step.
#[derive(Clone, Debug)]
pub struct ApproveStepRequest {
    /// The plan's id; the only plan by default.
    pub plan: Option<String>,
    /// The step's id.
    pub step: String,
    /// Why the person approves it.
    pub reason: String,
}

/// Recorded approval.
#[derive(Clone, Debug)]
pub struct ApprovedStep {
    /// The step's id.
    pub step: String,
    /// Who approved it.
    pub by: String,
    /// The new file, from the top of the repository.
    pub path: RepoPath,
}

/// Writes the approval of a step that needs one.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if the plan has errors, there is no such step, or git knows no author; [`ErrorKind::Refused`] if
/// the step needs no approval, a command of it is forbidden, or it is approved already.
pub fn run(workspace: &Workspace, request: &ApproveStepRequest) -> Result<ApprovedStep, Error> {
    let mut session = edits::begin_patiently(workspace)?;
    let loaded = LoadedPlan::load(workspace, request.plan.as_deref())?;
    let steps = &loaded.document()?.steps;
    let at = StepStates::new(steps).position(&request.step);
    let step = at.and_then(|at| steps.get(at)).ok_or_else(|| no_step(&request.step, steps))?;
    let gates = Gates::new(workspace, &loaded.id);
    let id = step.id_text();
    let refused = |message: String| Error::new(ErrorKind::Refused, message);
    match gates.gate(step)? {
        Gate::NeedsApproval(_) => {}
        Gate::Open => return Err(refused(format!("`{id}` needs no approval"))),
        Gate::Forbidden(reason) => return Err(refused(format!("`{id}` cannot be approved: {reason}"))),
        Gate::Approved => {
            let earlier = gates.approval(step)?;
            let (by, when) = earlier.map_or_else(Default::default, |approval| (approval.by, approval.at));
            return Err(refused(format!("{by} approved `{id}` already at {when}")));
        }
    }
    let by = committer(workspace.repo()?)?;
    let approval = Approval {
        plan: loaded.id.clone(),
        step: id.to_owned(),
        by: by.clone(),
        at: workspace.env.clock.now().to_string(),
        reason: request.reason.clone(),
        content: content_digest(step),
    };
    let path = gate::path(workspace, &loaded.id, step);
    let value = serde_json::to_value(&approval).map_err(|e| Error::new(ErrorKind::Internal, e.to_string()))?;
    edits::write(workspace, &mut session, edits::json_edit(workspace, path.clone(), &value)?)?;
    Ok(ApprovedStep { step: id.to_owned(), by, path: workspace.view.full(&path) })
}
