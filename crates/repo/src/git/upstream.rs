//! The upstream branch of the branch that is checked out.

use super::commit::CommitError;
use super::remote::{Pushed, Remote, RemoteError};
use gix::ObjectId;
use gix::bstr::ByteSlice as _;
use gix::remote::Direction;
use std::sync::atomic::AtomicBool;

/// The branch of a remote that the branch here follows.
#[derive(Debug)]
pub struct Upstream<'a> {
    repo: &'a gix::Repository,
    cancel: &'a AtomicBool,
    remote: String,
    /// The reference at the remote, such as `refs/heads/main`.
    reference: String,
    /// The reference here that has the last known state, such as `refs/remotes/origin/main`.
    tracking: String,
}

impl<'a> Upstream<'a> {
    /// The upstream branch; `None` if no branch is checked out, or it has none.
    ///
    /// # Errors
    /// HEAD or the configuration cannot be read.
    pub fn find(repo: &'a gix::Repository, cancel: &'a AtomicBool) -> Result<Option<Self>, CommitError> {
        let fail = CommitError::git("read the upstream branch");
        let Some(branch) = repo.head_name().map_err(&fail)? else { return Ok(None) };
        let Some(name) = repo.branch_remote_name(branch.shorten(), Direction::Fetch) else { return Ok(None) };
        let Some(reference) = repo.branch_remote_ref_name(branch.as_ref(), Direction::Fetch) else { return Ok(None) };
        let reference = reference.map_err(fail)?;
        let Some(remote) = name.as_symbol() else { return Ok(None) };
        Ok(Some(Self {
            repo,
            cancel,
            remote: remote.to_owned(),
            reference: reference.as_bstr().to_string(),
            tracking: format!("refs/remotes/{remote}/{}", reference.shorten().to_str_lossy()),
        }))
    }

    /// The branch of the same name at a remote; `None` if no branch is checked out.
    ///
    /// # Errors
    /// HEAD cannot be read.
    pub fn at(repo: &'a gix::Repository, remote: &str, cancel: &'a AtomicBool) -> Result<Option<Self>, CommitError> {
        let Some(branch) = repo.head_name().map_err(CommitError::git("read HEAD"))? else { return Ok(None) };
        Ok(Some(Self {
            repo,
            cancel,
            remote: remote.to_owned(),
            reference: branch.as_bstr().to_string(),
            tracking: format!("refs/remotes/{remote}/{}", branch.shorten()),
        }))
    }

    /// The name for people, such as `origin/main`.
    pub fn name(&self) -> &str {
        self.tracking.trim_start_matches("refs/remotes/")
    }

    /// Fetches the branch and returns its tip; `None` if the remote does not have the branch.
    ///
    /// # Errors
    /// The remote did not answer.
    pub fn fetch(&self) -> Result<Option<ObjectId>, RemoteError> {
        match self.remote().fetch(&[], &format!("+{}:{}", self.reference, self.tracking)) {
            // git speaks English here.
            Err(RemoteError::Failed { message }) if message.contains("couldn't find remote ref") => return Ok(None),
            fetched => fetched?,
        }
        let tip = self.repo.find_reference(self.tracking.as_str()).ok().and_then(|mut tip| tip.peel_to_id().ok());
        let missing = || RemoteError::Failed { message: format!("{} cannot be read", self.tracking) };
        tip.map(|tip| Some(tip.detach())).ok_or_else(missing)
    }

    /// Moves the branch forward to a commit. Rejected if the remote has a commit that this one does not have.
    ///
    /// # Errors
    /// The remote did not answer. Then it is unknown whether it moved the branch.
    pub fn push(&self, commit: ObjectId) -> Result<Pushed, RemoteError> {
        self.remote().push(&[], &format!("{commit}:{}", self.reference))
    }

    fn remote(&self) -> Remote<'_> {
        Remote::new(self.repo, &self.remote, self.cancel)
    }
}
