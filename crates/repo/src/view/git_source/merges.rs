//! Merges in git's history and in progress. A merge gives a file content that no sync wrote and no person typed.

use super::history::MAX_COMMITS;
use super::{Content, GitSource};
use canonry_mirror::Lock;
use canonry_model::canon::{FileMode, FileState};
use canonry_text::RepoPath;
use gix::ObjectId;
use gix::bstr::{BStr, ByteSlice};
use gix::merge::blob::builtin_driver::text::Labels;
use gix::merge::tree::TreatAsUnresolved;
use gix::objs::tree::EntryKind;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;
use std::ops::ControlFlow;

/// The commits that a merge, a cherry-pick or a revert combines.
pub(in crate::view) struct Merge<'s> {
    source: &'s GitSource,
    repo: &'s gix::Repository,
    base: Base,
    ours: ObjectId,
    theirs: ObjectId,
    /// The merge commit; `None` while the merge is in progress.
    result: Option<ObjectId>,
}

/// The common version of both sides.
#[derive(Clone, Copy)]
enum Base {
    Commit(ObjectId),
    MergeBase,
}

impl Merge<'_> {
    /// Whether the merge may have given a file its content: neither side has it. Where one side renamed the file, the other one
    /// has it under its former name.
    pub fn may_have_made(&self, path: &RepoPath, state: FileState) -> bool {
        let sides = [self.state(self.ours, path), self.state(self.theirs, path)];
        sides.iter().any(Option::is_some)
            && sides.iter().all(|side| side.is_none_or(|side| side != state))
            && self.result.is_none_or(|result| self.state(result, path) == Some(state))
    }

    /// Whether the content of a file is what git makes of two versions that sync wrote, according to the locks of both sides.
    pub fn is_of_written(&self, path: &RepoPath, state: FileState, lock: &RepoPath) -> bool {
        let written = |commit: ObjectId| {
            let state = self.state(commit, path)?;
            let lock = self.state(commit, lock)?;
            let lock = Lock::parse(&self.repo.find_blob(lock.id).ok()?.data).ok()?;
            lock.states(path).any(|known| known == state).then_some(state)
        };
        let (Some(ours), Some(theirs)) = (written(self.ours), written(self.theirs)) else { return false };
        let base = match self.base {
            Base::Commit(commit) => Some(commit),
            Base::MergeBase => self.repo.merge_base(self.ours, self.theirs).ok().flatten().map(gix::Id::detach),
        };
        let base = base.and_then(|base| self.state(base, path));
        let is_plain = [ours, theirs, state].iter().all(|side| side.mode == state.mode && side.mode.is_file());
        is_plain && self.merge(path, base.map(|base| base.id), ours.id, theirs.id) == Some(state.id)
    }

    fn state(&self, commit: ObjectId, path: &RepoPath) -> Option<FileState> {
        let tree = self.repo.find_commit(commit).ok()?.tree().ok()?;
        let full = self.source.full(path);
        let entry = tree.lookup_entry(full.components().map(|part| part.as_bytes())).ok()??;
        Some(FileState { id: entry.object_id(), mode: FileMode::from_kind(entry.mode().kind())? })
    }

    fn merge(&self, path: &RepoPath, base: Option<ObjectId>, ours: ObjectId, theirs: ObjectId) -> Option<ObjectId> {
        let memory = self.repo.clone().with_object_memory();
        // At its own path, because git's attributes decide how it is merged.
        let full = self.source.full(path);
        let tree = |id: Option<ObjectId>| {
            let mut editor = memory.empty_tree().edit().ok()?;
            if let Some(id) = id {
                editor.upsert(full.as_bstr(), EntryKind::Blob, id).ok()?;
            }
            editor.write().ok().map(gix::Id::detach)
        };
        let labels = Labels { ancestor: None, current: Some(BStr::new("ours")), other: Some(BStr::new("theirs")) };
        let options = memory.tree_merge_options().ok()?;
        let mut outcome =
            memory.merge_trees(tree(base)?, tree(Some(ours))?, tree(Some(theirs))?, labels, options).ok()?;
        if outcome.conflicts.iter().any(|conflict| conflict.is_unresolved(TreatAsUnresolved::git())) {
            return None;
        }
        let merged = memory.find_tree(outcome.tree.write().ok()?.detach()).ok()?;
        let entry = merged.lookup_entry(full.components().map(|part| part.as_bytes())).ok()??;
        Some(entry.object_id())
    }
}

impl GitSource {
    /// Visits the merge in progress, and the merges of two commits in the history of the revision, newest first.
    pub(in crate::view) fn visit_merges(&self, mut visit: impl FnMut(&Merge<'_>) -> ControlFlow<()>) {
        self.objects.with_repo(&self.repo, |repo| {
            let merge = |base, ours, theirs, result| Merge { source: self, repo, base, ours, theirs, result };
            for (base, theirs) in self.in_progress(repo) {
                let Ok(head) = repo.head_id() else { continue };
                if visit(&merge(base, head.detach(), theirs, None)).is_break() {
                    return;
                }
            }
            let Some(tip) = commit(repo, &self.revision) else { return };
            let sorting = Sorting::ByCommitTime(CommitTimeOrder::NewestFirst);
            let Ok(walk) = repo.rev_walk([tip]).sorting(sorting).all() else { return };
            for info in walk.take(MAX_COMMITS).map_while(Result::ok) {
                let parents: Vec<ObjectId> = info.parent_ids().map(gix::Id::detach).collect();
                let [ours, theirs] = parents.as_slice() else { continue };
                if visit(&merge(Base::MergeBase, *ours, *theirs, Some(info.id))).is_break() {
                    return;
                }
            }
        });
    }

    /// The base and the other side of what git has begun and not committed yet.
    fn in_progress(&self, repo: &gix::Repository) -> Vec<(Base, ObjectId)> {
        if matches!(self.content, Content::Commit(_)) {
            return Vec::new();
        }
        let parent = |name: &str| commit(repo, &format!("{name}^"));
        let merged = commit(repo, "MERGE_HEAD").map(|theirs| (Base::MergeBase, theirs));
        let picked = ["CHERRY_PICK_HEAD", "REBASE_HEAD"]
            .into_iter()
            .filter_map(|name| Some((Base::Commit(parent(name)?), commit(repo, name)?)));
        let reverted = || Some((Base::Commit(commit(repo, "REVERT_HEAD")?), parent("REVERT_HEAD")?));
        merged.into_iter().chain(picked).chain(reverted()).collect()
    }
}

fn commit(repo: &gix::Repository, revision: &str) -> Option<ObjectId> {
    Some(repo.rev_parse_single(revision).ok()?.object().ok()?.peel_to_commit().ok()?.id)
}
