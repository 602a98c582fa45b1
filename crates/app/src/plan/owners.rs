//! Who executes the steps of a plan.

use crate::{Error, ErrorKind, Workspace, owners};
use canonry_model::canon::owners::{Owner, Owners};
use canonry_model::canon::plan::PlanStep;
use canonry_runs::plan::new_plan::UNKNOWN_OWNER;

/// The owner of a step.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if `owners.yaml` names none.
pub(super) fn require<'o>(workspace: &Workspace, given: &'o Owners, step: &PlanStep) -> Result<&'o Owner, Error> {
    let role = step.owner.as_ref().map_or("", |owner| &owner.text);
    if role == UNKNOWN_OWNER {
        let message = format!("step `{}` has no owner yet", step.id_text());
        return Err(Error::new(ErrorKind::Unreadable, message).help("name the role that executes it in `owner`"));
    }
    owners::require(workspace, given, role, step.id_text())
}
