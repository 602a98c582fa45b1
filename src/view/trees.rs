//! Trees of a commit, each read once, and repositories that are used again.

use crate::syntax::RepoPath;
use gix::ObjectId;
use gix::bstr::BString;
use gix::objs::tree::EntryKind;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// A folder's entries by name.
pub(super) type Folder = BTreeMap<BString, (ObjectId, EntryKind)>;

/// What threads share so that nothing is opened or decoded twice.
#[derive(Default)]
pub(super) struct Shared {
    /// A repository's caches, such as those of pack deltas, live as long as it does: an idle one is used again.
    idle: Mutex<Vec<gix::Repository>>,
    folders: Mutex<HashMap<RepoPath, Option<Arc<Folder>>>>,
}

impl Shared {
    /// Runs `work` with a repository of this thread's own.
    pub fn with<R>(&self, repo: &gix::ThreadSafeRepository, work: impl FnOnce(&gix::Repository) -> R) -> R {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let repo = idle.unwrap_or_else(|| repo.to_thread_local());
        let result = work(&repo);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(repo);
        result
    }

    /// The entry at a path below the tree `root`.
    pub fn lookup(&self, repo: &gix::Repository, root: ObjectId, path: &RepoPath) -> Option<(ObjectId, EntryKind)> {
        let folder = self.folder(repo, root, &path.parent()?)?;
        folder.get(path.file_name()).copied()
    }

    /// The entries of the folder at a path below the tree `root`.
    pub fn folder(&self, repo: &gix::Repository, root: ObjectId, path: &RepoPath) -> Option<Arc<Folder>> {
        let known = self.folders.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        if let Some(known) = known {
            return known;
        }
        let id = match path.is_empty() {
            true => Some(root),
            false => self.lookup(repo, root, path).filter(|(_, kind)| *kind == EntryKind::Tree).map(|(id, _)| id),
        };
        let folder = id.and_then(|id| read(repo, id)).map(Arc::new);
        self.folders.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone(), folder.clone());
        folder
    }
}

fn read(repo: &gix::Repository, id: ObjectId) -> Option<Folder> {
    let tree = repo.find_tree(id).ok()?;
    let entries = tree.iter().map_while(Result::ok);
    Some(entries.map(|e| (e.filename().to_owned(), (e.object_id(), e.mode().kind()))).collect())
}
