//! Ids as git would give them.

use super::View;
use crate::canon::{FileMode, TreeEntry};
use crate::syntax::RepoPath;
use std::io::Read;

/// Gives files the ids that git would, clean filters and line endings included, without writing an object.
pub(super) struct Hasher<'v> {
    view: &'v View,
    repo: gix::Repository,
    pipeline: Option<(gix::filter::plumbing::Pipeline, gix::worktree::Stack)>,
}

impl<'v> Hasher<'v> {
    pub fn new(view: &'v View) -> Self {
        let repo = view.repo.to_thread_local();
        let source = gix::worktree::stack::state::attributes::Source::WorktreeThenIdMapping;
        let pipeline = repo
            .attributes_only(view.whole_index(), source)
            .and_then(|stack| gix::filter::Pipeline::new(&repo, stack.detach()))
            .ok()
            .map(gix::filter::Pipeline::into_parts);
        Self { view, pipeline, repo }
    }

    pub fn id(&mut self, entry: &TreeEntry) -> Option<gix::ObjectId> {
        let bytes = match entry.mode {
            FileMode::Link => self.view.link_text(&entry.path)?.into(),
            _ => self.clean(&entry.path, &entry.path)?,
        };
        self.hash(&bytes)
    }

    /// The id that the file at `from` would have if it lay at `path`, where other attributes may apply.
    pub fn id_at(&mut self, path: &RepoPath, from: &RepoPath) -> Option<gix::ObjectId> {
        let bytes = self.clean(path, from)?;
        self.hash(&bytes)
    }

    /// The id of some bytes as they are.
    pub fn hash(&self, bytes: &[u8]) -> Option<gix::ObjectId> {
        gix::objs::compute_hash(self.repo.object_hash(), gix::objs::Kind::Blob, bytes).ok()
    }

    /// What git would store of the file at `from` under `path`.
    pub fn clean(&mut self, path: &RepoPath, from: &RepoPath) -> Option<Vec<u8>> {
        use gix::filter::plumbing::pipeline::convert::ToGitOutcome;
        let full = self.view.full(path);
        let relative = gix::path::from_bstr(full.as_bstr()).ok()?;
        let file = std::fs::File::open(self.view.on_disk(from)?).ok()?;
        let (pipeline, stack) = self.pipeline.as_mut()?;
        let (index, objects) = (&self.view.index, &self.repo.objects);
        let attributes = stack.at_entry(full.as_bstr(), Some(gix::index::entry::Mode::FILE), objects).ok()?;
        let outcome = pipeline
            .convert_to_git(
                file,
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
            ToGitOutcome::Unchanged(mut file) => file.read_to_end(&mut bytes).map(|_| ()).ok()?,
            ToGitOutcome::Process(mut output) => output.read_to_end(&mut bytes).map(|_| ()).ok()?,
            ToGitOutcome::Buffer(buffer) => bytes.extend_from_slice(buffer),
        }
        Some(bytes)
    }

    /// How git would check out what it stores at a path.
    pub fn smudge(&mut self, path: &RepoPath, stored: &[u8]) -> Option<Vec<u8>> {
        let full = self.view.full(path);
        let (pipeline, stack) = self.pipeline.as_mut()?;
        let attributes =
            stack.at_entry(full.as_bstr(), Some(gix::index::entry::Mode::FILE), &self.repo.objects).ok()?;
        let options = gix::filter::plumbing::pipeline::convert::to_worktree::Options::default();
        let mut matching = |_: &gix::bstr::BStr, out: &mut gix::attrs::search::Outcome| {
            attributes.matching_attributes(out);
        };
        let mut outcome = pipeline.convert_to_worktree(stored, full.as_bstr(), &mut matching, options).ok()?;
        let mut bytes = Vec::new();
        outcome.read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}
