//! Claims on the steps of plans: references that are moved by compare-and-swap and point to a blob with the claim.

mod remote;
mod sightings;

pub use remote::ClaimRemote;
pub use sightings::Sightings;

use crate::fs::failpoint;
use crate::git::commit::own_locks::change_shared;
use canonry_runs::plan::claim_name::CLAIMS;
use canonry_runs::plan::{Claim, ClaimName};
use gix::ObjectId;
use gix::actor::Signature;
use gix::refs::FullName;
use gix::refs::transaction::{Change, LogChange, PreviousValue, RefEdit, RefLog};
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// The maximum size of a claim. A reference from a remote may point to anything.
const MAX_CLAIM_SIZE: u64 = 64 << 10;

/// Maximum number of tries for a reference that another process has locked, after gix has waited
/// `core.filesRefLockTimeout` (100 ms by default) each time.
const LOCK_ATTEMPTS: u32 = 10;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// A claim as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredClaim {
    pub id: ObjectId,
    /// `None` if the object is not a claim that this version can read.
    pub claim: Option<Claim>,
}

/// Why a claim was not read or moved.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// The reference is not as expected.
    #[error("another process changed the claim")]
    Moved,
    /// Another process holds the lock of the reference, or left it when it was killed.
    #[error("another process holds `{}`", lock.display())]
    Locked { lock: PathBuf },
    #[error("git's data failed: cannot {doing}")]
    Git { doing: &'static str, source: gix::Error },
}

/// Reads the claim on a step.
///
/// # Errors
/// The reference cannot be read.
pub fn read(repo: &gix::Repository, name: &ClaimName) -> Result<Option<StoredClaim>, ClaimError> {
    let reference = repo.try_find_reference(full(name)?.as_ref()).map_err(git("read the claim"))?;
    // A symbolic reference is not a claim that canonry made; its missing id is one that never matches.
    let id = reference.map(|reference| reference.try_id().map_or(ObjectId::null(repo.object_hash()), |id| id.detach()));
    Ok(id.map(|id| StoredClaim { claim: claim(repo, id), id }))
}

/// Reads all claims on a plan, given by the first part of their names. References that cannot be read are left out:
/// [`read`] fails for them, so that nobody takes such a claim.
///
/// # Errors
/// The references cannot be listed.
pub fn list(repo: &gix::Repository, plan: &str) -> Result<BTreeMap<ClaimName, StoredClaim>, ClaimError> {
    let fail = git("list the claims");
    let prefix = format!("{CLAIMS}/{plan}/");
    let references = repo.references().map_err(&fail)?;
    let mut claims = BTreeMap::new();
    for reference in references.prefixed(prefix.as_str()).map_err(&fail)?.filter_map(Result::ok) {
        let text = reference.name().as_bstr().to_string();
        let name = text.strip_prefix(CLAIMS).and_then(|name| ClaimName::parse(name.trim_start_matches('/')));
        if let (Some(name), Some(id)) = (name, reference.try_id()) {
            let id = id.detach();
            claims.insert(name, StoredClaim { claim: claim(repo, id), id });
        }
    }
    Ok(claims)
}

/// `None` for what this version cannot read, which counts as held.
fn claim(repo: &gix::Repository, id: ObjectId) -> Option<Claim> {
    let header = repo.find_header(id).ok()?;
    if header.kind() != gix::objs::Kind::Blob || header.size() > MAX_CLAIM_SIZE {
        return None;
    }
    Claim::parse(&repo.find_blob(id).ok()?.data)
}

/// Writes the object of a claim. It has no effect until a reference points to it.
///
/// # Errors
/// The object cannot be written.
pub fn store(repo: &gix::Repository, claim: &Claim) -> Result<ObjectId, ClaimError> {
    let fail = git("write the claim");
    failpoint::reach("object").map_err(|error| fail(gix::Error::from_error(error)))?;
    repo.write_blob(claim.to_text()).map(gix::Id::detach).map_err(fail)
}

/// Moves the reference of a claim from `expected` to `new`; `None` is a missing reference.
///
/// # Errors
/// [`ClaimError::Moved`] if the reference is not `expected`; [`ClaimError::Locked`] if another process does not release its
/// lock.
pub fn swap(
    repo: &gix::Repository,
    name: &ClaimName,
    expected: Option<ObjectId>,
    new: Option<ObjectId>,
) -> Result<(), ClaimError> {
    let before = match expected {
        Some(id) => PreviousValue::MustExistAndMatch(id.into()),
        None => PreviousValue::MustNotExist,
    };
    match (expected, new) {
        // gix does not accept the deletion of a reference that must not exist.
        (None, None) => Ok(()),
        _ => set(repo, name, before, new),
    }
}

/// Sets the reference of a claim to what a remote has accepted, whatever it was.
///
/// # Errors
/// See [`swap`].
pub fn follow(repo: &gix::Repository, name: &ClaimName, new: Option<ObjectId>) -> Result<(), ClaimError> {
    set(repo, name, PreviousValue::Any, new)
}

fn set(
    repo: &gix::Repository,
    name: &ClaimName,
    expected: PreviousValue,
    new: Option<ObjectId>,
) -> Result<(), ClaimError> {
    let change = match new {
        Some(id) => Change::Update { log: LogChange::default(), expected, new: id.into() },
        None => Change::Delete { expected, log: RefLog::AndReference },
    };
    let edit = RefEdit { change, name: full(name)?, deref: false };
    // For the log of the reference, which git keeps if `core.logAllRefUpdates` is `always`.
    let author = Signature { name: "canonry".into(), email: "canonry".into(), time: gix::date::Time::now_utc() };
    let mut time = gix::date::parse::TimeBuf::default();
    for attempt in 1.. {
        let change = || repo.edit_references_as(Some(edit.clone()), Some(author.to_ref(&mut time)));
        let changed = change_shared(repo, new, change)
            .map_err(|error| git("record the lock of the claim")(gix::Error::from_error(error)))?;
        match changed {
            Ok(_) => return Ok(()),
            Err(error) if error.is_conflict() || error.is_not_found() => return Err(ClaimError::Moved),
            Err(error) if error.is_retryable() || is_race(&error) => {
                if attempt >= LOCK_ATTEMPTS {
                    return Err(ClaimError::Locked { lock: lock_path(repo, name) });
                }
                std::thread::sleep(LOCK_PAUSE);
            }
            Err(source) => return Err(git("move the claim")(source)),
        }
    }
    Err(ClaimError::Moved)
}

/// Whether an error comes from another process that removes the empty folder of the reference, as git does after a
/// deletion.
fn is_race(error: &gix::Error) -> bool {
    let causes = std::iter::successors(Some(error as &(dyn std::error::Error + 'static)), |cause| cause.source());
    let mut kinds = causes.filter_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    kinds.any(|kind| matches!(kind, io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists))
}

fn lock_path(repo: &gix::Repository, name: &ClaimName) -> PathBuf {
    repo.common_dir().join(name.reference() + ".lock")
}

fn full(name: &ClaimName) -> Result<FullName, ClaimError> {
    FullName::try_from(name.reference()).map_err(|error| git("name the claim")(gix::Error::from_error(error)))
}

fn git(doing: &'static str) -> impl Fn(gix::Error) -> ClaimError {
    move |source| ClaimError::Git { doing, source }
}

#[cfg(test)]
mod tests;
