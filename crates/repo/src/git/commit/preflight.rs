//! The preconditions of a commit.

use gix::actor::SignatureRef;
use gix::state::InProgress;

use super::CommitError;
use super::own_locks::{lock_of, remove_left_locks};

/// Whether a commit is possible now, without locking anything. Removes locks that a killed run left. The answer can be
/// outdated at once, so [`super::commit`] checks again.
///
/// # Errors
/// The error of [`super::commit`]: [`CommitError::Bare`], [`CommitError::InProgress`],
/// [`CommitError::IdentityMissing`] or [`CommitError::IndexLocked`].
pub fn ready(repo: &gix::Repository) -> Result<(), CommitError> {
    people(repo)?;
    unoccupied(repo)?;
    remove_left_locks(repo)?;
    let lock = lock_of(&repo.index_path());
    if lock.symlink_metadata().is_ok() {
        return Err(CommitError::IndexLocked { lock });
    }
    Ok(())
}

/// The author and the committer.
pub(in crate::git) struct Signatures<'repo> {
    pub author: SignatureRef<'repo>,
    pub committer: SignatureRef<'repo>,
}

/// Reads author and committer. Both must be configured; canonry does not guess from the system's user name.
pub(in crate::git) fn people(repo: &gix::Repository) -> Result<Signatures<'_>, CommitError> {
    Ok(Signatures {
        author: known(repo.author(), "author", "GIT_AUTHOR")?,
        committer: known(repo.committer(), "committer", "GIT_COMMITTER")?,
    })
}

/// The committer as `Name <address>`.
///
/// # Errors
/// [`CommitError::IdentityMissing`].
pub fn committer(repo: &gix::Repository) -> Result<String, CommitError> {
    let who = people(repo)?.committer;
    Ok(format!("{} <{}>", who.name, who.email))
}

fn known<'repo>(
    signature: Option<gix::Result<SignatureRef<'repo>>>,
    role: &'static str,
    variable: &'static str,
) -> Result<SignatureRef<'repo>, CommitError> {
    let signature = signature.transpose().map_err(CommitError::git("read the date of the commit"))?;
    signature
        .filter(|who| !who.name.trim_ascii().is_empty() && !who.email.trim_ascii().is_empty())
        .ok_or(CommitError::IdentityMissing { role, variable })
}

/// Rejects a bare repository, and one with an operation in progress that a partial commit would break.
///
/// # Errors
/// [`CommitError::Bare`] and [`CommitError::InProgress`].
pub fn unoccupied(repo: &gix::Repository) -> Result<(), CommitError> {
    if repo.workdir().is_none() {
        return Err(CommitError::Bare);
    }
    match operation_in_progress(repo) {
        Some(operation) => Err(CommitError::InProgress { operation }),
        None => Ok(()),
    }
}

/// The operation that a partial commit would break, and that brings files from elsewhere.
pub fn operation_in_progress(repo: &gix::Repository) -> Option<&'static str> {
    Some(match repo.state()? {
        // gix detects a bisect before a revert, so a revert during a bisect needs its own check.
        InProgress::Bisect if !repo.git_dir().join("REVERT_HEAD").is_file() => return None,
        InProgress::Bisect | InProgress::Revert | InProgress::RevertSequence => "a revert",
        InProgress::CherryPick | InProgress::CherryPickSequence => "a cherry-pick",
        InProgress::Merge => "a merge",
        InProgress::Rebase | InProgress::RebaseInteractive => "a rebase",
        InProgress::ApplyMailbox | InProgress::ApplyMailboxRebase => "`git am`",
    })
}
