//! The base of a commit: HEAD or a branch.

use std::collections::HashMap;

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::objs::tree::{EntryKind, EntryMode};
use gix::refs::FullNameRef;

use super::CommitError;

/// A file, link or submodule in the base tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::git) struct Leaf {
    pub id: ObjectId,
    pub kind: EntryKind,
}

type Folder = HashMap<BString, (ObjectId, EntryMode)>;

/// HEAD or a branch at the start of the commit. Each tree is read once, on first use.
pub(in crate::git) struct CommitBase<'repo> {
    repo: &'repo gix::Repository,
    /// The parent commit; `None` on an unborn branch.
    pub parent: Option<ObjectId>,
    /// The parent's tree; the empty tree on an unborn branch.
    pub tree: ObjectId,
    folders: HashMap<BString, Folder>,
}

impl<'repo> CommitBase<'repo> {
    /// Reads HEAD, which may be detached or unborn.
    pub fn read(repo: &'repo gix::Repository) -> Result<Self, CommitError> {
        Self::from_parent(repo, Self::head(repo)?)
    }

    /// Reads a branch by its full name, which may be unborn.
    pub fn read_branch(repo: &'repo gix::Repository, name: &FullNameRef) -> Result<Self, CommitError> {
        let fail = CommitError::git("read the branch of the memory");
        let parent = match repo.try_find_reference(name).map_err(&fail)? {
            Some(mut reference) => Some(reference.peel_to_id().map_err(&fail)?.detach()),
            None => None,
        };
        Self::from_parent(repo, parent)
    }

    fn head(repo: &gix::Repository) -> Result<Option<ObjectId>, CommitError> {
        let fail = CommitError::git("read HEAD");
        let head = repo.head().map_err(&fail)?;
        if head.is_unborn() { Ok(None) } else { Ok(Some(repo.head_id().map_err(&fail)?.detach())) }
    }

    fn from_parent(repo: &'repo gix::Repository, parent: Option<ObjectId>) -> Result<Self, CommitError> {
        let fail = CommitError::git("read the commit to build upon");
        let tree = match parent {
            Some(id) => {
                let commit = repo.find_commit(id).map_err(&fail)?;
                commit.tree_id().map_err(&fail)?.detach()
            }
            None => ObjectId::empty_tree(repo.object_hash()),
        };
        Ok(Self { repo, parent, tree, folders: HashMap::new() })
    }

    /// The tree as an object for editing.
    pub fn tree_object(&self) -> Result<gix::Tree<'repo>, CommitError> {
        match self.parent {
            Some(_) => self.repo.find_tree(self.tree).map_err(CommitError::git("read the tree of HEAD")),
            None => Ok(self.repo.empty_tree()),
        }
    }

    /// The entry at `path`, unless it is a folder or does not exist.
    pub fn leaf(&mut self, path: &BStr) -> Result<Option<Leaf>, CommitError> {
        let found = self.entry(path)?.filter(|(_, mode)| !mode.is_tree());
        Ok(found.map(|(id, mode)| Leaf { id, kind: mode.kind() }))
    }

    fn entry(&mut self, path: &BStr) -> Result<Option<(ObjectId, EntryMode)>, CommitError> {
        let (folder, name) = match path.rfind_byte(b'/') {
            Some(slash) => (path[..slash].as_bstr(), path[slash + 1..].as_bstr()),
            None => (BStr::new(""), path),
        };
        if !self.folders.contains_key(folder) {
            let read = self.read_folder(folder)?;
            self.folders.insert(folder.to_owned(), read);
        }
        let folder = self.folders.get(folder);
        Ok(folder.and_then(|entries| entries.get(name)).copied())
    }

    fn read_folder(&mut self, path: &BStr) -> Result<Folder, CommitError> {
        let id = if path.is_empty() {
            self.parent.map(|_| self.tree)
        } else {
            self.entry(path)?.filter(|(_, mode)| mode.is_tree()).map(|(id, _)| id)
        };
        let Some(id) = id else {
            return Ok(Folder::new());
        };
        let fail = CommitError::git("read the tree of HEAD");
        let tree = self.repo.find_tree(id).map_err(&fail)?;
        tree.iter()
            .map(|entry| entry.map(|e| (e.filename().to_owned(), (e.id().detach(), e.mode()))))
            .collect::<Result<_, _>>()
            .map_err(fail)
    }
}
