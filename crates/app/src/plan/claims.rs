//! Takes, renews and releases the claims of workers on steps.

use super::claim_store::{ClaimStore, StoreObserver, Swap, save_sightings, sightings};
use super::committed::decided_at;
use crate::{Error, ErrorKind, RepoPath, Workspace};
use canonry_model::canon::timestamp::Timestamp;
use canonry_repo::exec::identity;
use canonry_repo::git::claims::StoredClaim;
use canonry_repo::git::worktrees::has_other_trees;
use canonry_runs::plan::claim::is_nonce;
use canonry_runs::plan::run::ClaimFor;
use canonry_runs::plan::{Claim, ClaimName, ClaimProcess, ClaimState, NewClaim, UNCOMMITTED};
use gix::ObjectId;
use std::collections::BTreeMap;
use std::time::Duration;

/// Maximum number of tries to claim a step whose claim other processes keep changing.
const ATTEMPTS: u32 = 10;
/// The longest name of a holder in bytes.
const MAX_HOLDER_LENGTH: usize = 200;

/// Who claims a step.
#[derive(Clone, Debug)]
pub(crate) struct Holder {
    /// The name. The same name may renew a claim, unless another running process holds it.
    pub name: String,
    /// The process whose end frees the claim in this boot.
    pub pid: Option<u32>,
}

/// A claim that this process, or the owner of its token, has taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClaimHandle {
    name: ClaimName,
    /// Identifies the claim. A renewed claim is the same claim.
    nonce: String,
}

/// A claim as others see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimSummary {
    /// The name of the holder; `None` if this version cannot read the claim.
    pub holder: Option<String>,
    /// The number of the attempt.
    pub attempt: Option<u64>,
    /// When it was made or last renewed, by the holder's clock.
    pub time: Option<Timestamp>,
    /// Until when it is held if it is not renewed; `None` if another worker may take the step over now.
    pub until: Option<Timestamp>,
    /// Whether the step has a decision in a commit that the branch here does not have.
    pub is_done: bool,
}

impl ClaimSummary {
    /// Whether another worker may take the step over now.
    pub fn is_free(&self) -> bool {
        self.until.is_none() && !self.is_done
    }
}

/// Claim that a worker requests.
#[derive(Clone, Debug)]
pub(super) struct ClaimRequest<'a> {
    pub plan: &'a str,
    pub step: &'a str,
    pub attempt: ClaimFor<'a>,
    pub holder: &'a Holder,
    /// The plan's file; `None` for a queue. A step with a decision in the last commit was reopened.
    pub file: Option<&'a RepoPath>,
    pub ttl: Duration,
    /// Whether the holder's own claim is renewed. Otherwise it is that of a rival.
    pub renews: bool,
}

/// Why a claim was not taken.
#[derive(Debug)]
pub(crate) enum TakeError {
    /// Another worker holds it.
    Held(Error),
    /// The step has a decision in a commit that is not here.
    Decided(Error),
    Failed(Error),
}

impl From<Error> for TakeError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<TakeError> for Error {
    fn from(error: TakeError) -> Self {
        match error {
            TakeError::Held(error) | TakeError::Decided(error) | TakeError::Failed(error) => error,
        }
    }
}

/// Why a claim was not changed.
enum ChangeError {
    /// Another worker has it now, or nobody.
    Lost(Error),
    Failed(Error),
}

impl From<Error> for ChangeError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<ChangeError> for Error {
    fn from(error: ChangeError) -> Self {
        match error {
            ChangeError::Lost(error) | ChangeError::Failed(error) => error,
        }
    }
}

/// Claims a step. The caller has checked that it is ready. If the holder has claimed the attempt already, the claim is
/// renewed; a claim whose holder ended or whose time is over is taken over. Returns the claim, too.
///
/// # Errors
/// Another worker holds the step or has decided about it, or the configured remote does not answer.
pub(crate) fn take(
    workspace: &Workspace,
    plan: &str,
    step: &str,
    attempt: ClaimFor<'_>,
    holder: &Holder,
    file: Option<&RepoPath>,
) -> Result<(ClaimHandle, Claim), TakeError> {
    let ttl = workspace.config.plans.claim_ttl;
    acquire(workspace, &ClaimRequest { plan, step, attempt, holder, file, ttl, renews: true })
}

/// Claims a step, and returns the claim with its handle.
///
/// # Errors
/// See [`take`].
pub(super) fn acquire(workspace: &Workspace, request: &ClaimRequest<'_>) -> Result<(ClaimHandle, Claim), TakeError> {
    check_holder(request.holder)?;
    let name = ClaimName::new(workspace.view.base(), request.plan, request.step);
    let store = ClaimStore::open(workspace)?;
    let is_shared = are_shared(workspace)?;
    let mut lost: Option<(Option<StoredClaim>, String)> = None;
    for _ in 0..ATTEMPTS {
        store.refresh(name.plan())?;
        let stored = store.read(&name)?;
        if let (Some((before, reason)), Some(remote)) = (&lost, store.remote())
            && *before == stored
        {
            let message = format!("the remote `{remote}` does not accept the claim on `{}`: {reason}", request.step);
            return Err(TakeError::Failed(Error::new(ErrorKind::Contention, message)));
        }
        let observer = StoreObserver::new(workspace);
        let process = request.holder.pid.map(|pid| observer.process(pid));
        let continued = match &stored {
            None => None,
            Some(stored) => continued(workspace, request, &name, stored, &observer, process.as_ref())?,
        };
        // Others already know the decision of the killed run.
        if let Some(own) = continued.as_ref().filter(|own| own.done.is_some() && own.process.is_none()) {
            return Ok((ClaimHandle { name, nonce: own.nonce.clone() }, own.clone()));
        }
        let last = stored.as_ref().and_then(|stored| stored.claim.as_ref()).map_or(0, |claim| claim.attempt);
        let attempt = match (request.attempt, &continued) {
            (ClaimFor::Next(_), Some(own)) => own.attempt,
            // Without others, the records of this clone know all attempts.
            (ClaimFor::Next(number), None) if is_shared => number.max(last.saturating_add(1)),
            (ClaimFor::Next(number), None) => number,
            (ClaimFor::Earlier(record), _) => record.attempt.max(last),
        };
        let done = continued.as_ref().and_then(|own| own.done.clone());
        let before = continued.as_ref().or(stored.as_ref().and_then(|stored| stored.claim.as_ref()));
        let follows = before.and_then(Claim::decision).map(str::to_owned);
        let follows = match request.file.filter(|_| is_shared && follows.is_none()) {
            Some(file) => decided_at(workspace, file, request.step)?.map(|commit| commit.to_string()),
            None => follows,
        };
        let mut claim = Claim::new(NewClaim {
            plan: request.plan,
            step: request.step,
            holder: &request.holder.name,
            host: identity::host_name(),
            boot: observer.boot().map(str::to_owned),
            process,
            attempt,
            ttl: request.ttl,
            time: observer.now,
            uptime: observer.uptime,
            renewals: continued.as_ref().map_or(0, |own| own.renewals.saturating_add(1)),
            nonce: continued.map_or_else(identity::random_id, |own| own.nonce),
        });
        claim.done = done;
        claim.follows = follows.filter(|_| is_shared);
        let new = store.store(&claim)?;
        match store.swap(&name, stored.as_ref().map(|stored| stored.id), Some(new))? {
            Swap::Done => return Ok((ClaimHandle { name, nonce: claim.nonce.clone() }, claim)),
            Swap::Lost { reason } => lost = Some((stored, reason)),
        }
    }
    Err(TakeError::Held(contended(request.step)))
}

/// The stored claim that a new one continues: the holder's own on this attempt, or that of an earlier attempt whose process
/// is gone. `None` if the step is free.
///
/// # Errors
/// [`TakeError::Held`] if another worker holds the step.
fn continued(
    workspace: &Workspace,
    request: &ClaimRequest<'_>,
    name: &ClaimName,
    stored: &StoredClaim,
    observer: &StoreObserver,
    process: Option<&ClaimProcess>,
) -> Result<Option<Claim>, TakeError> {
    let mut sightings = sightings(workspace)?;
    let first_seen = sightings.first_seen(name, stored.id);
    let holder = request.renews.then_some(request.holder.name.as_str());
    let state = |stored: &StoredClaim| observer.state(stored, first_seen, holder, process);
    if let (ClaimFor::Earlier(record), Some(claim)) = (request.attempt, &stored.claim)
        && record.claim.rsplit_once('/').is_some_and(|(_, nonce)| nonce == claim.nonce)
    {
        // Whether its process is gone decides, not that the step is about to be complete.
        let mut plain = claim.clone();
        plain.done = None;
        let plain = StoredClaim { claim: Some(plain), ..stored.clone() };
        if matches!(state(&plain), ClaimState::HolderEnded | ClaimState::Expired | ClaimState::Own) {
            return Ok(Some(claim.clone()));
        }
    }
    match state(stored) {
        ClaimState::Held { until } => {
            sightings.see(name, stored.id, observer.now);
            save_sightings(&mut sightings)?;
            Err(TakeError::Held(held_by(request.step, stored, until)))
        }
        ClaimState::Decided => Err(TakeError::Decided(done_elsewhere(request.step, stored))),
        ClaimState::Own => Ok(stored.claim.clone().filter(|own| match request.attempt {
            ClaimFor::Next(number) => own.attempt >= number,
            ClaimFor::Earlier(record) => own.attempt == record.attempt,
        })),
        ClaimState::HolderEnded | ClaimState::Expired => Ok(None),
    }
}

impl ClaimHandle {
    /// Renews the claim for its time to live.
    ///
    /// # Errors
    /// [`ErrorKind::Contention`] only if another worker has taken the step over. Any other kind, for example if the remote
    /// does not answer: the claim may still hold, and the caller can try again.
    pub fn renew(&mut self, workspace: &Workspace) -> Result<(), Error> {
        self.change(workspace, |claim, observer| Some(claim.renewed(observer.now, observer.uptime))).map_err(|error| {
            match error {
                ChangeError::Failed(error) if error.kind == ErrorKind::Contention => {
                    Error { kind: ErrorKind::Internal, ..error }
                }
                ChangeError::Lost(error) | ChangeError::Failed(error) => error,
            }
        })
    }

    /// Whether the claim still holds: nobody has taken the step over. Asks the remote if one is configured.
    ///
    /// # Errors
    /// [`ErrorKind::Contention`] if the remote does not answer.
    pub fn is_current(&self, workspace: &Workspace) -> Result<bool, Error> {
        let store = ClaimStore::open(workspace)?;
        store.refresh(self.name.plan())?;
        Ok(self.own(&store)?.is_some())
    }

    /// The number of the attempt; `None` if the claim no longer holds.
    ///
    /// # Errors
    /// The claims cannot be read.
    pub fn attempt(&self, workspace: &Workspace) -> Result<Option<u64>, Error> {
        Ok(self.own(&ClaimStore::known(workspace)?)?.map(|(_, claim)| claim.attempt))
    }

    /// Ends the work under the claim on a step with a decision: others keep off until they have its commit.
    ///
    /// # Errors
    /// See [`Self::release`].
    pub fn complete(self, workspace: &Workspace, commit: &str) -> Result<(), Error> {
        if !are_shared(workspace)? {
            return self.release(workspace, None);
        }
        Ok(self.change(workspace, |claim, _| Some(claim.completed(commit.to_owned())))?)
    }

    /// Tells other clones and work trees that the step is about to have a decision in a commit.
    ///
    /// # Errors
    /// See [`Self::release`].
    pub fn announce(&self, workspace: &Workspace, commit: &str) -> Result<(), Error> {
        Ok(self.change(workspace, |claim, _| Some(claim.announced(commit.to_owned())))?)
    }

    /// Gives the claim up. Where others see it, the number of the attempt stays, and `commit` if it is one of a reopened step:
    /// others go on only after it.
    ///
    /// # Errors
    /// [`ErrorKind::Contention`] if another worker has taken the step over, or the remote does not answer.
    pub fn release(self, workspace: &Workspace, commit: Option<ObjectId>) -> Result<(), Error> {
        let is_shared = are_shared(workspace)?;
        let commit = || commit.map(|commit| commit.to_string());
        Ok(self.change(workspace, |claim, _| is_shared.then(|| claim.released(commit())))?)
    }

    /// Gives up a claim under which nothing was reported: the number of the attempt is free again.
    ///
    /// # Errors
    /// See [`Self::release`].
    pub fn withdraw(self, workspace: &Workspace) -> Result<(), Error> {
        let is_shared = are_shared(workspace)?;
        let before = |claim: &Claim| {
            let attempt = claim.attempt.checked_sub(1).filter(|attempt| *attempt > 0 && is_shared)?;
            let mut released = claim.released(None);
            released.attempt = attempt;
            Some(released)
        };
        Ok(self.change(workspace, |claim, _| before(claim))?)
    }

    /// A text that identifies the claim, for another process of the same worker.
    pub fn token(&self) -> String {
        format!("{}/{}", self.name, self.nonce)
    }

    /// The handle with a token.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] if the text is not a token.
    pub fn from_token(token: &str) -> Result<Self, Error> {
        let parts = token.rsplit_once('/').filter(|(_, nonce)| is_nonce(nonce));
        let handle =
            parts.and_then(|(name, nonce)| Some(Self { name: ClaimName::parse(name)?, nonce: nonce.to_owned() }));
        handle.ok_or_else(|| {
            Error::new(ErrorKind::Usage, "this is not the token of a claim")
                .help("`canonry run claim` prints the token")
        })
    }

    /// The name of the claim.
    pub fn name(&self) -> &ClaimName {
        &self.name
    }

    /// The claim as it is stored now, if it is still this one.
    fn own(&self, store: &ClaimStore<'_>) -> Result<Option<(StoredClaim, Claim)>, Error> {
        let stored = store.read(&self.name)?;
        Ok(stored.and_then(|stored| {
            let claim = stored.claim.clone().filter(|claim| claim.nonce == self.nonce && !claim.released)?;
            Some((stored, claim))
        }))
    }

    fn change(
        &self,
        workspace: &Workspace,
        next: impl Fn(&Claim, &StoreObserver) -> Option<Claim>,
    ) -> Result<(), ChangeError> {
        let store = ClaimStore::open(workspace)?;
        let mut rejected = None;
        // More than once, because the same worker may renew the claim at the same time.
        for _ in 0..ATTEMPTS {
            store.refresh(self.name.plan())?;
            let Some((stored, claim)) = self.own(&store)? else {
                return Err(ChangeError::Lost(self.lost(workspace, &store)?));
            };
            if let (Some((id, reason)), Some(remote)) = (&rejected, store.remote())
                && *id == stored.id
            {
                let message = format!("the remote `{remote}` does not accept the change of a claim: {reason}");
                return Err(Error::new(ErrorKind::Contention, message).into());
            }
            let new = match next(&claim, &StoreObserver::new(workspace)) {
                Some(claim) => Some(store.store(&claim)?),
                None => None,
            };
            match store.swap(&self.name, Some(stored.id), new)? {
                Swap::Done => return Ok(()),
                Swap::Lost { reason } => rejected = Some((stored.id, reason)),
            }
        }
        Err(contended(&self.step()).into())
    }

    /// The error about a claim that another worker has taken over.
    fn lost(&self, workspace: &Workspace, store: &ClaimStore<'_>) -> Result<Error, Error> {
        let step = self.step();
        let message = match store.read(&self.name)? {
            None => format!("the claim on `{step}` no longer exists"),
            Some(stored) => {
                let now = summary(&StoreObserver::new(workspace), &stored, None);
                format!("the claim on `{step}` was taken over by {}", described(&now))
            }
        };
        Ok(Error::new(ErrorKind::Contention, message).help("stop working on the step: the result no longer counts"))
    }

    /// The id of the step.
    pub fn step(&self) -> String {
        self.name.step_id().unwrap_or_else(|| self.name.to_string())
    }
}

/// The claim that a holder has on a step; `None` if nobody has claimed it.
///
/// # Errors
/// [`ErrorKind::Contention`] if another worker holds it, or the remote does not answer.
pub(super) fn handle_of(
    workspace: &Workspace,
    name: &ClaimName,
    step: &str,
    holder: &str,
) -> Result<Option<ClaimHandle>, Error> {
    let store = ClaimStore::open(workspace)?;
    store.refresh(name.plan())?;
    let Some(stored) = store.read(name)?.filter(|stored| !is_released(stored)) else { return Ok(None) };
    match stored.claim.as_ref().filter(|claim| claim.holder == holder) {
        Some(claim) => Ok(Some(ClaimHandle { name: name.clone(), nonce: claim.nonce.clone() })),
        None => {
            let claim = summary(&StoreObserver::new(workspace), &stored, None);
            let message = format!("`{step}` is claimed by {}, not by {holder}", described(&claim));
            Err(Error::new(ErrorKind::Contention, message)
                .help("add `--as NAME` or `--token TOKEN` if the claim is yours"))
        }
    }
}

/// The claims on a plan by the ids of their steps, as the remote has them if one is configured. Claims that this clone has
/// not seen before are recorded, because their time to live begins when they are first seen.
///
/// # Errors
/// [`ErrorKind::Contention`] if the remote does not answer.
pub(super) fn held(workspace: &Workspace, plan: &str) -> Result<BTreeMap<String, ClaimSummary>, Error> {
    let store = ClaimStore::open(workspace)?;
    let part = ClaimName::plan_part(workspace.view.base(), plan);
    store.refresh(&part)?;
    let claims = store.list(&part)?;
    let now = StoreObserver::new(workspace).now;
    let mut sightings = sightings(workspace)?;
    claims.iter().for_each(|(name, stored)| sightings.see(name, stored.id, now));
    sightings.retain(&part, |name| claims.contains_key(name));
    save_sightings(&mut sightings)?;
    summaries(workspace, &claims)
}

/// The claims on a plan that this clone knows. Neither asks the remote nor writes.
///
/// # Errors
/// The claims cannot be read.
pub(super) fn known(workspace: &Workspace, plan: &str) -> Result<BTreeMap<String, ClaimSummary>, Error> {
    // Files in memory have no claims.
    let Ok(store) = ClaimStore::known(workspace) else { return Ok(BTreeMap::new()) };
    summaries(workspace, &store.list(&ClaimName::plan_part(workspace.view.base(), plan))?)
}

fn summaries(
    workspace: &Workspace,
    claims: &BTreeMap<ClaimName, StoredClaim>,
) -> Result<BTreeMap<String, ClaimSummary>, Error> {
    if claims.is_empty() {
        return Ok(BTreeMap::new());
    }
    let observer = StoreObserver::new(workspace);
    let sightings = sightings(workspace)?;
    let by_step = claims.iter().filter(|(_, stored)| !is_released(stored)).filter_map(|(name, stored)| {
        let named = stored.claim.as_ref().map(|claim| claim.step.clone()).filter(|step| name.is_of_step(step));
        let step = name.step_id().or(named)?;
        Some((step, summary(&observer, stored, sightings.first_seen(name, stored.id))))
    });
    Ok(by_step.collect())
}

pub(super) fn is_released(stored: &StoredClaim) -> bool {
    stored.claim.as_ref().is_some_and(|claim| claim.released)
}

fn summary(observer: &StoreObserver, stored: &StoredClaim, first_seen: Option<Timestamp>) -> ClaimSummary {
    let claim = stored.claim.as_ref();
    ClaimSummary {
        holder: claim.map(|claim| claim.holder.clone()),
        attempt: claim.map(|claim| claim.attempt),
        time: claim.map(|claim| claim.time),
        until: match observer.state(stored, first_seen, None, None) {
            ClaimState::Held { until } => Some(until),
            ClaimState::HolderEnded | ClaimState::Expired | ClaimState::Own | ClaimState::Decided => None,
        },
        is_done: matches!(observer.state(stored, first_seen, None, None), ClaimState::Decided),
    }
}

/// The name of a holder that the user does not name: `user@machine`.
pub(super) fn default_holder() -> String {
    format!("{}@{}", identity::user_name(), identity::host_name())
}

/// The name of the holder in a run: a claim that the same user makes on the command line is that of a rival.
pub(crate) fn run_holder() -> String {
    format!("{} (run {})", default_holder(), std::process::id())
}

fn check_holder(holder: &Holder) -> Result<(), Error> {
    let usage = |message: &str| Err(Error::new(ErrorKind::Usage, message));
    match holder.name.trim() {
        "" => usage("the name of the holder is empty"),
        name if name.len() > MAX_HOLDER_LENGTH => usage("the name of the holder is too long"),
        _ => Ok(()),
    }
}

/// Who holds a claim, and since when.
fn described(claim: &ClaimSummary) -> String {
    match (&claim.holder, claim.attempt, claim.time) {
        (Some(holder), Some(attempt), Some(time)) => format!("{holder} (attempt {attempt}) since {time}"),
        _ => "a newer version of canonry".to_owned(),
    }
}

fn held_by(step: &str, stored: &StoredClaim, until: Timestamp) -> Error {
    let claim = stored.claim.as_ref();
    let claim = ClaimSummary {
        holder: claim.map(|claim| claim.holder.clone()),
        attempt: claim.map(|claim| claim.attempt),
        time: claim.map(|claim| claim.time),
        until: Some(until),
        is_done: false,
    };
    let message = format!("`{step}` is claimed by {}, until {until} unless it is renewed", described(&claim));
    Error::new(ErrorKind::Contention, message)
        .help("run `canonry run next --claim` for another step; the holder can run `canonry run release`")
}

fn done_elsewhere(step: &str, stored: &StoredClaim) -> Error {
    let claim = stored.claim.as_ref();
    let holder = claim.map_or("another worker", |claim| &claim.holder);
    let commit = claim.and_then(Claim::decision).unwrap_or_default();
    if commit == UNCOMMITTED {
        let message = format!("`{step}` has a result of {holder} that could not be committed");
        return Error::new(ErrorKind::Contention, message).help(format!(
            "run `canonry run exec` in the clone of the result, push, and pull here; if that clone is gone, run `canonry run \
             release {step} --as '{holder}'`"
        ));
    }
    let commit = commit.get(..10).unwrap_or(commit);
    let message = format!("`{step}` has a result in commit {commit} of {holder}, which is not here");
    Error::new(ErrorKind::Contention, message)
        .help("pull or merge it, then run this again; `canonry run release` forgets a commit that no longer exists")
}

/// Whether others see the claims of this repository: clones with the configured remote, or other work trees of this clone.
pub(crate) fn are_shared(workspace: &Workspace) -> Result<bool, Error> {
    Ok(workspace.config.plans.remote.is_some() || has_other_trees(workspace.repo()?)?)
}

fn contended(step: &str) -> Error {
    Error::new(ErrorKind::Contention, format!("other processes change the claim on `{step}` at the same time"))
        .help("run this again")
}

#[cfg(test)]
#[path = "claims_tests.rs"]
mod tests;
