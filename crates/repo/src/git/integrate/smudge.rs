//! The content that a checkout writes.

use std::io::Read as _;

use gix::ObjectId;
use gix::bstr::BStr;
use gix::filter::plumbing::driver::apply::Delay;
use gix::filter::plumbing::pipeline::convert::to_worktree::{Options, UnknownEncoding};
use gix::filter::plumbing::pipeline::convert::{ToWorktreeOutcome, to_worktree};
use gix::worktree::stack::state::attributes::Source;

use crate::git::commit::CommitError;

/// Converts objects to files by the attributes in an index.
pub(super) struct Smudger<'r> {
    repo: &'r gix::Repository,
    filters: gix::filter::Pipeline<'r>,
}

impl<'r> Smudger<'r> {
    pub fn new(repo: &'r gix::Repository, index: &gix::index::State) -> Result<Self, CommitError> {
        let fail = CommitError::git("read attributes and filters");
        let attributes = repo.attributes_only(index, Source::IdMapping).map_err(&fail)?;
        Ok(Self { repo, filters: gix::filter::Pipeline::new(repo, attributes.detach()).map_err(fail)? })
    }

    /// The content of the file at `path`.
    pub fn file(&mut self, path: &BStr, id: ObjectId) -> Result<Vec<u8>, CommitError> {
        let filtered = |source| CommitError::Filter { path: path.to_owned(), source };
        let stored = self.blob(id)?;
        let options: to_worktree::Options =
            Options { can_delay: Delay::Forbid, unknown_encoding: UnknownEncoding::Ignore };
        match self.filters.convert_to_worktree(&stored, path, options).map_err(filtered)? {
            ToWorktreeOutcome::Unchanged(_) => {}
            mut converted => {
                let mut bytes = Vec::new();
                let read = converted.read_to_end(&mut bytes);
                return read.map(|_| bytes).map_err(|error| filtered(gix::Error::from_error(error)));
            }
        }
        Ok(stored)
    }

    /// The content of an object, which for a link is its target.
    pub fn blob(&self, id: ObjectId) -> Result<Vec<u8>, CommitError> {
        let mut blob = self.repo.find_blob(id).map_err(CommitError::git("read a file of a commit"))?;
        Ok(blob.take_data())
    }
}
