//! Object ids and content conversion as git does them, with clean and smudge filters and line endings.

use super::GitSource;
use canonry_model::canon::{FileMode, FileSource, SourceError, TreeEntry};
use canonry_text::RepoPath;
use gix::ObjectId;
use gix::filter::plumbing::driver::apply::Delay;
use gix::filter::plumbing::pipeline::convert::to_worktree::{Options, UnknownEncoding};
use gix::worktree::stack::state::attributes::Source;
use std::io::Read;

/// Computes the object ids that git would give to files, without writing objects. Creating one is expensive: use one
/// per thread.
pub(in crate::view) struct Hasher<'v> {
    source: &'v GitSource,
    repo: gix::Repository,
    pipeline: Option<(gix::filter::plumbing::Pipeline, gix::worktree::Stack)>,
}

impl<'v> Hasher<'v> {
    pub fn new(source: &'v GitSource) -> Self {
        let repo = source.repo.to_thread_local();
        let pipeline = repo
            .attributes_only(source.whole_index(), Source::WorktreeThenIdMapping)
            .and_then(|stack| gix::filter::Pipeline::new(&repo, stack.detach()))
            // Without filters, no content has a known id, and files count as different.
            .ok()
            .map(gix::filter::Pipeline::into_parts);
        Self { source, repo, pipeline }
    }

    pub fn id(&mut self, entry: &TreeEntry) -> Option<ObjectId> {
        let bytes = match entry.mode {
            FileMode::Link => self.source.link_text(&entry.path)?.into(),
            _ => self.clean(&entry.path, &entry.path)?,
        };
        self.hash(&bytes)
    }

    /// The id that the file at `from` would have at `path`, where other attributes may apply.
    pub fn id_at(&mut self, path: &RepoPath, from: &RepoPath) -> Option<ObjectId> {
        let bytes = self.clean(path, from)?;
        self.hash(&bytes)
    }

    /// The id of bytes as they are.
    pub fn hash(&self, bytes: &[u8]) -> Option<ObjectId> {
        gix::objs::compute_hash(self.repo.object_hash(), gix::objs::Kind::Blob, bytes).ok()
    }

    /// The bytes that git would store for the file at `from` if it were at `path`.
    pub fn clean(&mut self, path: &RepoPath, from: &RepoPath) -> Option<Vec<u8>> {
        if let Some(state) = self.source.skipped_state(from).filter(|_| self.source.is_outside_checkout(from)) {
            return self.source.blob(state.id);
        }
        self.clean_content(path, crate::fs::open(self.source.path_on_disk(from)?).ok()?)
    }

    /// The bytes that git would store for this content at `path`.
    pub fn clean_content(&mut self, path: &RepoPath, content: impl Read) -> Option<Vec<u8>> {
        use gix::filter::plumbing::pipeline::convert::ToGitOutcome;
        let full = self.source.full(path);
        let relative = gix::path::from_bstr(full.as_bstr()).ok()?;
        let (pipeline, stack) = self.pipeline.as_mut()?;
        let index = &self.source.index;
        let objects = &self.repo.objects;
        let attributes = stack.at_entry(full.as_bstr(), Some(gix::index::entry::Mode::FILE), objects).ok()?;
        let outcome = pipeline
            .convert_to_git(
                content,
                &relative,
                &mut |_, out| {
                    attributes.matching_attributes(out);
                },
                &mut |buf| {
                    use gix::objs::Find;
                    let Some(entry) = index.entry_by_path(path.as_bstr()) else { return Ok(None) };
                    Ok(objects.try_find(&entry.id, buf)?.map(|_| ()))
                },
            )
            .ok()?;
        let mut bytes = Vec::new();
        match outcome {
            ToGitOutcome::Unchanged(mut content) => content.read_to_end(&mut bytes).map(|_| ()).ok()?,
            ToGitOutcome::Process(mut output) => output.read_to_end(&mut bytes).map(|_| ()).ok()?,
            ToGitOutcome::Buffer(buffer) => bytes.extend_from_slice(buffer),
        }
        Some(bytes)
    }

    /// The bytes that git would check out at a path for content that it stores.
    pub fn smudge(&mut self, path: &RepoPath, stored: &[u8]) -> Option<Vec<u8>> {
        let full = self.source.full(path);
        let (pipeline, stack) = self.pipeline.as_mut()?;
        let attributes =
            stack.at_entry(full.as_bstr(), Some(gix::index::entry::Mode::FILE), &self.repo.objects).ok()?;
        let mut matching = |_: &gix::bstr::BStr, out: &mut gix::attrs::search::Outcome| {
            attributes.matching_attributes(out);
        };
        let mut outcome =
            pipeline.convert_to_worktree(stored, full.as_bstr(), &mut matching, Options::default()).ok()?;
        let mut bytes = Vec::new();
        outcome.read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

impl GitSource {
    /// The bytes of a blob as git would write them at a path: with its line endings and through its filters.
    ///
    /// # Errors
    /// The object cannot be read, or a filter fails.
    pub(in crate::view) fn filter_name(&self, path: &RepoPath) -> Option<String> {
        use gix::bstr::ByteSlice;
        let repo = self.repo.to_thread_local();
        let mut stack = repo.attributes_only(self.whole_index(), Source::WorktreeThenIdMapping).ok()?;
        let mut matches = stack.selected_attribute_matches(["filter"]);
        let full = self.full(path);
        let entry = stack.at_entry(full.as_bstr(), Some(gix::index::entry::Mode::FILE)).ok()?;
        entry.matching_attributes(&mut matches);
        let name = matches.iter_selected().next()?.assignment.state.as_bstr()?.to_str_lossy().into_owned();
        Some(name)
    }

    pub fn checked_out(&self, path: &RepoPath, id: ObjectId) -> Result<Vec<u8>, SourceError> {
        let repo = self.repo.to_thread_local();
        let blob = repo.find_object(id).map_err(SourceError::git("objects"))?.detach().data;
        let attributes = repo
            .attributes_only(self.whole_index(), Source::WorktreeThenIdMapping)
            .map_err(SourceError::git("filters"))?;
        let mut filters =
            gix::filter::Pipeline::new(&repo, attributes.detach()).map_err(SourceError::git("filters"))?;
        let options = Options { can_delay: Delay::Forbid, unknown_encoding: UnknownEncoding::Fail };
        let mut outcome = filters
            .convert_to_worktree(&blob, self.full(path).as_bstr(), options)
            .map_err(SourceError::git("filters"))?;
        let mut bytes = Vec::new();
        outcome.read_to_end(&mut bytes).map_err(SourceError::git("filters"))?;
        Ok(bytes)
    }
}
