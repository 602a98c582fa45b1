//! Releases the claim on a step.

use super::claims::{ClaimHandle, default_holder, handle_of};
use super::load::{LoadedPlan, no_step};
use super::old_claims;
use crate::{Error, ErrorKind, Workspace};
use canonry_runs::plan::ClaimName;

/// Which claim to release, and who releases it.
#[derive(Clone, Debug)]
pub struct ReleaseClaimRequest {
    /// The plan's id; the only plan by default.
    pub plan: Option<String>,
    /// The step's id.
    pub step: String,
    /// Who releases it.
    pub releaser: Releaser,
}

/// Who releases a claim.
#[derive(Clone, Debug)]
pub enum Releaser {
    /// The holder with this name; `user@machine` by default.
    Holder(Option<String>),
    /// The owner of the claim's token.
    Token(String),
}

/// Result of a release.
#[derive(Clone, Debug)]
pub struct ReleasedClaim {
    /// The step's id.
    pub step: String,
    /// Whether somebody had claimed it.
    pub was_claimed: bool,
}

/// Releases the claim. The plan does not change.
///
/// # Errors
/// [`ErrorKind::Contention`] if another worker holds the claim, or the configured remote does not answer;
/// [`ErrorKind::Unreadable`] if the plan has errors, or if plan or step do not exist; [`ErrorKind::Usage`] if the token is not
/// one of this step.
pub fn run(workspace: &Workspace, request: &ReleaseClaimRequest) -> Result<ReleasedClaim, Error> {
    let loaded = LoadedPlan::load(workspace, request.plan.as_deref())?;
    let steps = &loaded.document()?.steps;
    let name = ClaimName::new(workspace.view.base(), &loaded.id, &request.step);
    let done = |was_claimed| Ok(ReleasedClaim { step: request.step.clone(), was_claimed });
    let holder = match &request.releaser {
        Releaser::Token(token) => {
            let handle = ClaimHandle::from_token(token)?;
            if *handle.name() != name {
                return Err(Error::new(ErrorKind::Usage, format!("the token is not one of `{}`", request.step)));
            }
            handle.withdraw(workspace)?;
            return done(true);
        }
        Releaser::Holder(holder) => holder.clone().unwrap_or_else(default_holder),
    };
    match handle_of(workspace, &name, &request.step, &holder)? {
        Some(handle) => {
            handle.withdraw(workspace)?;
            done(true)
        }
        // The claim on a step that is no longer in the plan can be released.
        None if old_claims::forget(workspace, &name)? => done(true),
        None if steps.iter().any(|step| step.id_text() == request.step) => done(false),
        None => Err(no_step(&request.step, steps)),
    }
}
