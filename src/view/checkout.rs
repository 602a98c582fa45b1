//! What a checkout would put on disk.

use super::{View, ViewError};
use crate::syntax::RepoPath;
use gix::ObjectId;
use gix::filter::plumbing::driver::apply::Delay;
use gix::filter::plumbing::pipeline::convert::to_worktree::{Options, UnknownEncoding};
use gix::worktree::stack::state::attributes::Source;
use std::io::Read;

impl View {
    /// A blob's bytes as git would write them at a path: with its line endings and through its filters.
    ///
    /// # Errors
    /// [`ViewError::Git`] where the object cannot be read, or a filter fails.
    pub fn checked_out(&self, path: &RepoPath, id: ObjectId) -> Result<Vec<u8>, ViewError> {
        let repo = self.repo.to_thread_local();
        let error = ViewError::git("objects");
        let blob = repo.find_object(id).map_err(&error)?.detach().data;
        let error = ViewError::git("filters");
        let attributes = repo.attributes_only(self.whole_index(), Source::WorktreeThenIdMapping).map_err(&error)?;
        let mut filters = gix::filter::Pipeline::new(&repo, attributes.detach()).map_err(&error)?;
        let options = Options { can_delay: Delay::Forbid, unknown_encoding: UnknownEncoding::Fail };
        let mut outcome = filters.convert_to_worktree(&blob, self.full(path).as_bstr(), options).map_err(&error)?;
        let mut bytes = Vec::new();
        let read = outcome.read_to_end(&mut bytes);
        read.map_err(|e| ViewError::Git { what: "filters", reason: e.to_string() })?;
        Ok(bytes)
    }
}
