//! Steps that a person or an agent begins without `run exec`.

use super::load::LoadedPlan;
use super::run::records::Records;
use super::run::world::RepoWorld;
use crate::workers::{Observer, end_orphan};
use crate::{Error, ErrorKind, Workspace};
use canonry_model::canon::plan::PlanStep;
use canonry_runs::exec::ExecEvent;
use canonry_runs::plan::AttemptHistory;
use canonry_runs::plan::run::{PlanRun, PlanWorld as _};
use std::cell::RefCell;

/// Keeps the notices of a run for the outcome of a command.
#[derive(Default)]
pub(super) struct Notices(RefCell<Vec<String>>);

impl Notices {
    pub fn into_inner(self) -> Vec<String> {
        self.0.into_inner()
    }
}

impl Observer for Notices {
    fn event(&self, event: &ExecEvent) {
        if let ExecEvent::Notice(notice) = event {
            self.0.borrow_mut().push(notice.clone());
        }
    }
}

/// Checks that no attempt has decided about an open step: an editor may have saved the plan as it was before.
///
/// # Errors
/// [`ErrorKind::Refused`] if one has.
pub(super) fn require_undecided(workspace: &Workspace, loaded: &LoadedPlan, step: &PlanStep) -> Result<(), Error> {
    let history = AttemptHistory::from_reports(loaded.plan.attempts_at(step));
    if history.success.is_none() && history.proposed.is_none() {
        return Ok(());
    }
    let notices = Notices::default();
    let world = RepoWorld::by_hand(workspace, loaded, &notices)?;
    let look = world.look()?;
    let run = PlanRun::new(world, loaded.id.clone(), None, false);
    let Some(decision) = run.decision(&look, step)? else { return Ok(()) };
    let id = step.id_text();
    let message = format!("`{id}` is open in the plan, but {}", decision.describe());
    let help = format!("run `canonry run exec {}`, which corrects the plan", loaded.id);
    Err(Error::new(ErrorKind::Refused, message).help(help))
}

/// Ends the worker of an earlier attempt whose run was killed. The caller has the claim.
///
/// # Errors
/// The records cannot be read, or the worker does not end.
pub(super) fn end_left_worker(workspace: &Workspace, plan: &str, step: &str) -> Result<(), Error> {
    if let Some(worker) = Records::new(workspace, plan)?.last(step)?.and_then(|record| record.worker) {
        end_orphan(&worker)?;
    }
    Ok(())
}
