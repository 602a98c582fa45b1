//! The claims of a repository as one place: this clone's references, or those of the configured remote.

use crate::{Clock, Error, ErrorKind, Workspace};
use canonry_model::canon::timestamp::Timestamp;
use canonry_repo::exec::identity;
use canonry_repo::git::claims::{self, ClaimError, ClaimRemote, Sightings, StoredClaim};
use canonry_repo::git::diff::is_ancestor;
use canonry_repo::git::remote::{Pushed, RemoteError};
use canonry_runs::plan::{Claim, ClaimName, ClaimObserver, ClaimProcess, ClaimState, claim_state};
use gix::ObjectId;
use gix::bstr::ByteSlice as _;
use std::collections::BTreeMap;

/// The claims of a repository. With a remote, only one process of a clone has this at a time.
pub(super) struct ClaimStore<'a> {
    workspace: &'a Workspace,
    repo: &'a gix::Repository,
    remote: Option<ClaimRemote<'a>>,
}

/// Result of a compare-and-swap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Swap {
    Done,
    /// The claim was not as expected, or the remote does not accept the change, with git's reason.
    Lost {
        reason: String,
    },
}

impl<'a> ClaimStore<'a> {
    /// Opens the claims, with the remote if one is configured.
    ///
    /// # Errors
    /// [`ErrorKind::Contention`] if this clone does not have the remote, or another process does not release it.
    pub fn open(workspace: &'a Workspace) -> Result<Self, Error> {
        let repo = workspace.repo()?;
        let remote = match workspace.config.plans.remote.as_deref() {
            Some(name) => Some(open_remote(workspace, repo, name)?),
            None => None,
        };
        Ok(Self { workspace, repo, remote })
    }

    /// The claims that this clone knows, without asking the remote.
    ///
    /// # Errors
    /// The files are in memory.
    pub fn known(workspace: &'a Workspace) -> Result<Self, Error> {
        Ok(Self { workspace, repo: workspace.repo()?, remote: None })
    }

    /// Updates the claims on a plan from the remote.
    ///
    /// # Errors
    /// [`ErrorKind::Contention`] if the remote does not answer.
    pub fn refresh(&self, plan: &str) -> Result<(), Error> {
        match &self.remote {
            Some(remote) => remote.fetch(plan).map_err(|error| self.unreachable(error)),
            None => Ok(()),
        }
    }

    /// The claim on a step.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(&self, name: &ClaimName) -> Result<Option<StoredClaim>, Error> {
        Ok(claims::read(self.repo, name)?)
    }

    /// All claims on a plan, in one pass over the references.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn list(&self, plan: &str) -> Result<BTreeMap<ClaimName, StoredClaim>, Error> {
        Ok(claims::list(self.repo, plan)?)
    }

    /// Writes the object of a claim.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn store(&self, claim: &Claim) -> Result<ObjectId, Error> {
        Ok(claims::store(self.repo, claim)?)
    }

    /// Moves a claim from `expected` to `new`; `None` is no claim.
    ///
    /// # Errors
    /// [`ErrorKind::Contention`] if the remote does not answer, or another process does not release the reference's lock.
    pub fn swap(&self, name: &ClaimName, expected: Option<ObjectId>, new: Option<ObjectId>) -> Result<Swap, Error> {
        let Some(remote) = &self.remote else {
            return match claims::swap(self.repo, name, expected, new) {
                Ok(()) => Ok(Swap::Done),
                Err(error @ ClaimError::Moved) => Ok(Swap::Lost { reason: error.to_string() }),
                Err(error) => Err(error.into()),
            };
        };
        match remote.push(name, expected, new).map_err(|error| self.unreachable(error))? {
            Pushed::Accepted => {
                // The remote has decided. If this clone does not follow now, it does with the next fetch.
                let _ = claims::follow(self.repo, name, new);
                Ok(Swap::Done)
            }
            Pushed::Rejected { reason } => Ok(Swap::Lost { reason }),
        }
    }

    /// The remote's name for messages.
    pub fn remote(&self) -> Option<&str> {
        self.remote.as_ref().and(self.workspace.config.plans.remote.as_deref())
    }

    fn unreachable(&self, error: RemoteError) -> Error {
        unreachable(self.workspace, error)
    }
}

fn open_remote<'a>(
    workspace: &'a Workspace,
    repo: &'a gix::Repository,
    name: &'a str,
) -> Result<ClaimRemote<'a>, Error> {
    if !repo.remote_names().iter().any(|known| known.as_bytes() == name.as_bytes()) {
        let message = format!("claims go through the remote `{name}`, which this clone does not have");
        let help = format!("run `git remote add {name} URL`, or change `plans.remote` in canonry.yaml");
        return Err(Error::new(ErrorKind::Contention, message).help(help));
    }
    ClaimRemote::open(repo, name, &workspace.env.cancel).map_err(|error| unreachable(workspace, error))
}

fn unreachable(workspace: &Workspace, error: RemoteError) -> Error {
    if error.is_interrupted() {
        return Error::new(ErrorKind::Interrupted, "interrupted");
    }
    let name = workspace.config.plans.remote.as_deref().unwrap_or_default();
    let message = format!("claims go through the remote `{name}`, which did not answer: {error}");
    Error::new(ErrorKind::Contention, message)
        .help(format!("check that `git ls-remote {name}` works without a prompt, then run this again"))
}

/// This process as an observer of claims.
pub(super) struct StoreObserver {
    boot: Option<String>,
    namespace: Option<String>,
    pub now: Timestamp,
    /// Seconds since the boot; `None` with a clock that a test sets.
    pub uptime: Option<u64>,
    repo: Option<gix::Repository>,
}

impl StoreObserver {
    pub fn new(workspace: &Workspace) -> Self {
        Self {
            boot: identity::boot_id(),
            namespace: identity::pid_namespace(),
            now: workspace.env.clock.now().whole_seconds(),
            // Files in memory have no commits.
            repo: workspace.repo().ok().cloned(),
            uptime: matches!(workspace.env.clock, Clock::System).then(identity::uptime).flatten(),
        }
    }

    pub fn boot(&self) -> Option<&str> {
        self.boot.as_deref()
    }

    /// A process of this machine as a claim names it.
    pub fn process(&self, pid: u32) -> ClaimProcess {
        ClaimProcess { pid, start: identity::process_start(pid), namespace: self.namespace.clone() }
    }

    /// The state of a claim for a worker, or for nobody.
    pub fn state(
        &self,
        stored: &StoredClaim,
        first_seen: Option<Timestamp>,
        holder: Option<&str>,
        process: Option<&ClaimProcess>,
    ) -> ClaimState {
        let claim = stored.claim.as_ref();
        let local = claim.filter(|claim| claim.boot.is_some() && claim.boot == self.boot);
        let local =
            local.and_then(|claim| claim.process.as_ref()).filter(|process| process.namespace == self.namespace);
        let is_running = local.and_then(|process| identity::is_running(process.pid, process.start));
        let boot = self.boot();
        let has_decision = claim.and_then(Claim::decision).is_some_and(|commit| self.has(commit));
        claim_state(
            claim,
            &ClaimObserver {
                holder,
                process,
                boot,
                now: self.now,
                uptime: self.uptime,
                first_seen,
                is_running,
                has_decision,
            },
        )
    }

    /// Whether the branch that is checked out has a commit. One that this clone does not know it has not.
    fn has(&self, commit: &str) -> bool {
        let Some(repo) = &self.repo else { return false };
        let head = repo.head_id().ok().map(gix::Id::detach);
        let commit = ObjectId::from_hex(commit.as_bytes()).ok();
        head.zip(commit).is_some_and(|(head, commit)| is_ancestor(repo, commit, head).unwrap_or(false))
    }
}

/// The record of when this clone first saw the claims of others.
pub(super) fn sightings(workspace: &Workspace) -> Result<Sightings, Error> {
    Ok(Sightings::load(workspace.repo()?))
}

/// Writes the record.
///
/// # Errors
/// It cannot be written: then the claims of others would never become free here.
pub(super) fn save_sightings(sightings: &mut Sightings) -> Result<(), Error> {
    sightings.save().map_err(|error| {
        Error::new(ErrorKind::Internal, format!("the claims that this clone has seen cannot be recorded: {error}"))
    })
}
