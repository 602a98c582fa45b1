//! Removes claims that nobody needs any more.

use super::claim_store::{ClaimStore, StoreObserver, sightings};
use super::claims::is_released;
use crate::{Error, Workspace};
use canonry_repo::git::claims::StoredClaim;
use canonry_repo::git::worktrees::everybody_has;
use canonry_runs::plan::{ClaimName, ClaimState, UNCOMMITTED};
use gix::ObjectId;

/// Forgets a decision that others still wait for, although its attempt was followed by others: its commit may no longer exist.
/// `false` if nobody waits for one.
///
/// # Errors
/// The claim cannot be read or removed, or the remote does not answer.
pub(super) fn forget(workspace: &Workspace, name: &ClaimName) -> Result<bool, Error> {
    let store = ClaimStore::open(workspace)?;
    let is_followed = |stored: &StoredClaim| stored.claim.as_ref().is_some_and(|claim| claim.follows.is_some());
    let Some(stored) = store.read(name)?.filter(|stored| is_released(stored) && is_followed(stored)) else {
        return Ok(false);
    };
    // A claim that moved meanwhile is another one.
    store.swap(name, Some(stored.id), None)?;
    Ok(true)
}

/// Removes the claims on decided steps whose commit everybody has: the remote's branch, or every work tree of this clone.
/// `is_complete` says whether a step is complete in the last commit: then nobody needs the number of its last attempt.
/// `is_reported` says whether the report on an attempt is in the last commit, which a hook may have refused before.
///
/// # Errors
/// The claims cannot be read or removed.
pub(crate) fn forget_done(
    workspace: &Workspace,
    plan: &str,
    is_complete: impl Fn(&str) -> bool,
    is_reported: impl Fn(&str, u64) -> bool,
) -> Result<(), Error> {
    let store = ClaimStore::open(workspace)?;
    let part = ClaimName::plan_part(workspace.view.base(), plan);
    store.refresh(&part)?;
    let repo = workspace.repo()?;
    let remote = workspace.config.plans.remote.as_deref();
    let head = repo.head_id().ok().map(gix::Id::detach);
    let observer = StoreObserver::new(workspace);
    let sightings = sightings(workspace)?;
    for (name, stored) in store.list(&part)? {
        let Some(claim) = &stored.claim else { continue };
        if let Some(head) = head.filter(|_| claim.done.as_deref() == Some(UNCOMMITTED))
            && is_reported(&claim.step, claim.attempt)
        {
            // A claim that moved meanwhile is another one.
            store.swap(&name, Some(stored.id), Some(store.store(&claim.completed(head.to_string()))?))?;
            continue;
        }
        let state = observer.state(&stored, sightings.first_seen(&name, stored.id), None, None);
        let is_free = matches!(state, ClaimState::HolderEnded | ClaimState::Expired);
        // Of one that is about to be complete, nobody knows whether it is.
        let done = claim.done.as_deref().filter(|_| !claim.is_announced());
        let commit = match done {
            Some(commit) => ObjectId::from_hex(commit.as_bytes()).ok(),
            None => head.filter(|_| is_free && is_complete(&claim.step)),
        };
        // A commit that this clone does not know it does not have.
        if let Some(commit) = commit
            && repo.has_object(commit)
            && everybody_has(repo, commit, remote)?
        {
            // An attempt of another clone, whose report is not here, may have the number of the claim.
            let number = (!is_complete(&claim.step)).then(|| {
                let mut released = claim.released(None);
                released.follows = None;
                released
            });
            let number = number.map(|released| store.store(&released)).transpose()?;
            // A claim that moved meanwhile is another one.
            store.swap(&name, Some(stored.id), number)?;
        }
    }
    Ok(())
}
