//! Earlier versions of a folder. Read only if a file is neither what the canon nor what the lock says.

use super::objects::ObjectCache;
use super::{Content, GitSource};
use canonry_model::canon::{FileMode, FileState};
use canonry_text::RepoPath;
use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;
use std::collections::HashSet;
use std::ops::ControlFlow;

/// Bounds of a search. Beyond them it counts as incomplete.
pub(super) const MAX_COMMITS: usize = 5_000;
const MAX_VERSIONS: usize = 500;
const MAX_TIPS: usize = 500;

/// One version of a folder.
pub(in crate::view) struct FolderVersion<'r> {
    repo: &'r gix::Repository,
    folder: &'r RepoPath,
    tree: ObjectId,
    objects: ObjectCache,
}

impl FolderVersion<'_> {
    /// The file at a path of the view. What cannot be read is no proof that sync wrote it.
    pub fn file(&self, path: &RepoPath) -> Option<FileState> {
        let below = RepoPath::new(path.below(self.folder)?);
        let (id, kind) = self.objects.entry(self.repo, self.tree, &below)?;
        Some(FileState { id, mode: FileMode::from_kind(kind)? })
    }

    /// Whether the version has a folder at a path of the view.
    pub fn has_folder(&self, path: &RepoPath) -> bool {
        let below = path.below(self.folder).map(RepoPath::new);
        below.is_some_and(|below| self.objects.folder(self.repo, self.tree, &below).is_some())
    }

    /// The content of a file.
    pub fn bytes(&self, id: ObjectId) -> Option<Vec<u8>> {
        Some(self.repo.find_blob(id).ok()?.detach().data)
    }
}

impl GitSource {
    /// Visits every version of a folder in the history of the revision, newest first; for the work tree and the index also
    /// those on all branches, tags and stashes. Ends at an object that git does not have, as in a shallow clone.
    pub(in crate::view) fn visit_versions(
        &self,
        folder: &RepoPath,
        mut visit: impl FnMut(&FolderVersion<'_>) -> ControlFlow<()>,
    ) {
        self.objects.with_repo(&self.repo, |repo| {
            let sorting = Sorting::ByCommitTime(CommitTimeOrder::NewestFirst);
            let Ok(walk) = repo.rev_walk(self.tips(repo)).sorting(sorting).all() else { return };
            let full = self.full(folder);
            let mut seen = HashSet::new();
            for commit in walk.take(MAX_COMMITS) {
                let Ok(tree) = commit.and_then(|commit| commit.object()?.tree()) else { return };
                let entry = tree.lookup_entry(full.components().map(|part| part.as_bytes())).ok().flatten();
                let Some(id) = entry.filter(|entry| entry.mode().is_tree()).map(|entry| entry.object_id()) else {
                    continue;
                };
                if !seen.insert(id) {
                    continue;
                }
                if seen.len() > MAX_VERSIONS {
                    return;
                }
                let version = FolderVersion { repo, folder, tree: id, objects: ObjectCache::default() };
                if visit(&version).is_break() {
                    return;
                }
            }
        });
    }

    /// The commits where a search begins.
    fn tips(&self, repo: &gix::Repository) -> Vec<ObjectId> {
        let commit = |rev: &str| Some(repo.rev_parse_single(rev).ok()?.object().ok()?.peel_to_commit().ok()?.id);
        let mut tips: Vec<ObjectId> = commit(&self.revision).into_iter().collect();
        if matches!(self.content, Content::Commit(_)) {
            return tips;
        }
        let Ok(platform) = repo.references() else { return tips };
        let Ok(references) = platform.all() else { return tips };
        for reference in references {
            let Ok(mut reference) = reference else { continue };
            let Ok(id) = reference.peel_to_id() else { continue };
            let Ok(commit) = id.object().and_then(|object| object.peel_to_commit()) else { continue };
            if tips.len() >= MAX_TIPS {
                return tips;
            }
            tips.push(commit.id);
        }
        tips
    }
}
