//! Earlier versions of a folder. Read only if a file is neither what the canon nor what the lock says.

use super::{Content, GitSource};
use canonry_text::RepoPath;
use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use gix::objs::tree::EntryKind;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;
use std::collections::{HashMap, HashSet};
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
    trees: HashMap<BString, Option<ObjectId>>,
}

impl FolderVersion<'_> {
    /// The id and the mode of the file at a path of the view. What cannot be read is no proof that sync wrote it.
    pub fn file(&mut self, path: &RepoPath) -> Option<(ObjectId, EntryKind)> {
        let below = path.below(self.folder)?;
        let (folder, name) = below.rsplit_once_str("/").unwrap_or((b"", below));
        let tree = self.tree(folder)?;
        let tree = self.repo.find_tree(tree).ok()?;
        let entry = tree.iter().filter_map(Result::ok).find(|entry| entry.filename() == name)?;
        (!entry.mode().is_tree()).then(|| (entry.object_id(), entry.mode().kind()))
    }

    /// Whether the version has a folder at a path of the view.
    pub fn has_folder(&mut self, path: &RepoPath) -> bool {
        path.below(self.folder).is_some_and(|below| self.tree(below).is_some())
    }

    fn tree(&mut self, below: &[u8]) -> Option<ObjectId> {
        if below.is_empty() {
            return Some(self.tree);
        }
        if let Some(known) = self.trees.get(below.as_bstr()) {
            return *known;
        }
        let (parent, name) = below.rsplit_once_str("/").unwrap_or((b"", below));
        let tree = self.tree(parent).and_then(|parent| {
            let parent = self.repo.find_tree(parent).ok()?;
            let entry = parent.iter().filter_map(Result::ok).find(|entry| entry.filename() == name)?;
            entry.mode().is_tree().then(|| entry.object_id())
        });
        self.trees.insert(below.into(), tree);
        tree
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
        mut visit: impl FnMut(&mut FolderVersion<'_>) -> ControlFlow<()>,
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
                let mut version = FolderVersion { repo, folder, tree: id, trees: HashMap::new() };
                if visit(&mut version).is_break() {
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
