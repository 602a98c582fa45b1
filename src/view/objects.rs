//! The index and commits: content by object id.

use super::links::MAX_LINKS;
use super::{Known, ListedFile, Listing, PathKind, Resolved, View, ViewError, refused, staged};
use crate::canon::blob::BlobError;
use crate::canon::{FileMode, TreeEntry};
use crate::syntax::RepoPath;
use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use gix::index::entry::{Flags, Stage};
use gix::objs::tree::EntryKind;
use std::collections::{BTreeMap, BTreeSet};

impl View {
    /// Paths whose staged content differs from HEAD's; `None` where an object cannot be read.
    pub fn staged_changes(&self) -> Option<BTreeSet<RepoPath>> {
        let repo = self.repo.to_thread_local();
        let head = super::base::tree(&repo, repo.head_tree_id_or_empty().ok()?.detach(), &self.base).ok()?;
        staged::changes(&repo, &self.index, head).ok()
    }

    /// Paths below a folder that git tracks.
    pub fn tracked(&self, folder: &RepoPath) -> impl Iterator<Item = RepoPath> + '_ {
        self.index_run(folder).iter().map(|entry| RepoPath::new(entry.path(&self.index)))
    }

    pub(super) fn list_index(&self, folder: &RepoPath) -> Result<Listing, ViewError> {
        let mut files = self.listed_of(self.index_run(folder))?;
        sorted(&mut files);
        Ok(Listing { files, ..Listing::default() })
    }

    fn listed_of(&self, entries: &[gix::index::Entry]) -> Result<Vec<ListedFile>, ViewError> {
        let mut files = Vec::with_capacity(entries.len());
        for entry in entries {
            let path = RepoPath::new(entry.path(&self.index));
            if entry.mode.is_sparse() {
                files.extend(self.list_subtree(entry.id, &path)?);
            } else if counts(entry) {
                files.extend(index_mode(entry.mode).map(|mode| listed(path, mode, entry.id)));
            }
        }
        Ok(files)
    }

    /// The entries at and below a path.
    fn index_run(&self, folder: &RepoPath) -> &[gix::index::Entry] {
        if folder.is_empty() {
            return self.index.entries();
        }
        let mut prefix = folder.as_bstr().to_owned();
        if self.index.entry_by_path(prefix.as_bstr()).is_none() {
            prefix.push(b'/');
        }
        self.index.prefixed_entries(prefix.as_bstr()).unwrap_or(&[])
    }

    pub(super) fn list_tree(&self, tree: ObjectId, folder: &RepoPath) -> Result<Listing, ViewError> {
        let top = Some((tree, EntryKind::Tree)).filter(|_| folder.is_empty());
        let found = top.or_else(|| self.shared.with(&self.repo, |repo| self.shared.lookup(repo, tree, folder)));
        let files = match found {
            None => Vec::new(),
            Some((id, EntryKind::Tree)) => self.list_subtree(id, folder)?,
            Some((id, kind)) => tree_mode(kind).map(|mode| listed(folder.clone(), mode, id)).into_iter().collect(),
        };
        Ok(Listing { files, ..Listing::default() })
    }

    /// The ids of a folder's direct subfolders, as far as git knows them: of a commit all, of the index those that nobody has
    /// staged into since their tree was written, and of the work tree none.
    pub(super) fn subfolders(&self, folder: &RepoPath) -> Option<BTreeMap<BString, ObjectId>> {
        let tree = match &self.basis {
            Resolved::WorkTree => return None,
            Resolved::Index => return self.cached_subfolders(folder),
            Resolved::Commit(tree) => *tree,
        };
        let entries = self.shared.with(&self.repo, |repo| self.shared.folder(repo, tree, folder))?;
        let folders = entries.iter().filter(|(_, (_, kind))| *kind == EntryKind::Tree);
        Some(folders.map(|(name, (id, _))| (name.clone(), *id)).collect())
    }

    fn cached_subfolders(&self, folder: &RepoPath) -> Option<BTreeMap<BString, ObjectId>> {
        let mut here = self.index.tree()?;
        for name in folder.components() {
            here = here.children.iter().find(|child| child.name.as_slice() == name.as_bytes())?;
        }
        let known = here.children.iter().filter(|child| child.num_entries.is_some());
        Some(known.map(|child| (BString::from(child.name.as_slice()), child.id)).collect())
    }

    /// The index's files below a folder but for those in `known` folders, which lie directly in it.
    pub(super) fn list_index_but(
        &self,
        root: &RepoPath,
        known: &BTreeSet<RepoPath>,
    ) -> Result<Vec<ListedFile>, ViewError> {
        let mut listed = Vec::new();
        let mut rest = self.index_run(root);
        while let Some(entry) = rest.first() {
            let path = RepoPath::new(entry.path(&self.index));
            let name = path.below(root).map(|below| below.split_str("/").next().unwrap_or_default().to_owned());
            let Some(top) = name.filter(|name| !name.is_empty()).map(|name| root.join(name)) else {
                return Ok(self.list_index(root)?.files);
            };
            let mut prefix = top.as_bstr().to_owned();
            prefix.push(b'/');
            let inside = rest.partition_point(|entry| entry.path(&self.index).starts_with(&prefix)).max(1);
            if !known.contains(&top) {
                listed.extend(self.listed_of(&rest[..inside])?);
            }
            rest = &rest[inside..];
        }
        sorted(&mut listed);
        Ok(listed)
    }

    /// What lies directly in a folder of a commit.
    pub(super) fn direct_entries(&self, tree: ObjectId, folder: &RepoPath) -> Vec<RepoPath> {
        let entries = self.shared.with(&self.repo, |repo| self.shared.folder(repo, tree, folder));
        entries.iter().flat_map(|entries| entries.keys()).map(|name| folder.join(name)).collect()
    }

    fn list_subtree(&self, tree: ObjectId, folder: &RepoPath) -> Result<Vec<ListedFile>, ViewError> {
        let error = ViewError::git("objects");
        let entries = self
            .shared
            .with(&self.repo, |repo| repo.find_tree(tree)?.traverse().breadthfirst.files())
            .map_err(&error)?;
        let of = |e: gix::traverse::tree::recorder::Entry| {
            tree_mode(e.mode.kind()).map(|mode| listed(folder.join(&e.filepath), mode, e.oid))
        };
        let mut files: Vec<ListedFile> = entries.into_iter().filter_map(of).collect();
        files.sort_unstable_by(|a, b| a.entry.path.cmp(&b.entry.path));
        Ok(files)
    }

    pub(super) fn read_objects(&self, path: &RepoPath, limit: u64) -> Result<Vec<u8>, BlobError> {
        self.shared.with(&self.repo, |repo| self.follow(repo, path, limit))
    }

    fn follow(&self, repo: &gix::Repository, path: &RepoPath, limit: u64) -> Result<Vec<u8>, BlobError> {
        let mut here = path.clone();
        let mut text = None;
        for _ in 0..MAX_LINKS {
            let Some((id, mode)) = self.object_at(repo, &here) else {
                return Err(text.map_or(BlobError::Absent, |target| BlobError::Dangling { target }));
            };
            match mode {
                FileMode::File | FileMode::Executable => return blob(repo, id, limit),
                FileMode::Submodule => return Err(BlobError::NotAFile),
                FileMode::Link => {
                    let target = blob(repo, id, limit)?;
                    let words = text.get_or_insert_with(|| target.to_str_lossy().into_owned());
                    let outside = BlobError::Outside { target: words.clone() };
                    here = here.resolve_beside(&target).ok_or(outside)?;
                }
            }
        }
        Err(BlobError::Loop { target: text.unwrap_or_default() })
    }

    pub(super) fn link_object(&self, path: &RepoPath) -> Option<BString> {
        self.shared.with(&self.repo, |repo| {
            let (id, mode) = self.object_at(repo, path)?;
            (mode == FileMode::Link).then(|| blob(repo, id, u64::MAX).ok().map(BString::from)).flatten()
        })
    }

    pub(super) fn kind_of_object(&self, path: &RepoPath) -> PathKind {
        if path.is_empty() {
            return PathKind::Folder;
        }
        if self.shared.with(&self.repo, |repo| self.object_at(repo, path)).is_some() {
            return PathKind::File;
        }
        let is_folder = match &self.basis {
            Resolved::Commit(tree) => {
                let found = self.shared.with(&self.repo, |repo| self.shared.lookup(repo, *tree, path));
                found.is_some_and(|(_, kind)| kind == EntryKind::Tree)
            }
            _ => self.index_run(path).iter().any(|entry| entry.mode.is_sparse() || counts(entry)),
        };
        if is_folder { PathKind::Folder } else { PathKind::Nothing }
    }

    pub(super) fn object_at(&self, repo: &gix::Repository, path: &RepoPath) -> Option<(ObjectId, FileMode)> {
        if let Resolved::Commit(tree) = &self.basis {
            let (id, kind) = self.shared.lookup(repo, *tree, path)?;
            return tree_mode(kind).map(|mode| (id, mode));
        }
        let entry = self
            .index
            .entry_by_path(path.as_bstr())
            .or_else(|| self.index.entry_by_path_and_stage(path.as_bstr(), Stage::Ours))?;
        index_mode(entry.mode).map(|mode| (entry.id, mode))
    }
}

/// Of a path in conflict our side stands for it; a path that is only intended to be added has no content yet.
/// By path, each once: of a path that is not merged the index has several entries.
fn sorted(files: &mut Vec<ListedFile>) {
    files.sort_unstable_by(|a, b| a.entry.path.cmp(&b.entry.path));
    files.dedup_by(|a, b| a.entry.path == b.entry.path);
}

fn counts(entry: &gix::index::Entry) -> bool {
    matches!(entry.stage(), Stage::Unconflicted | Stage::Ours) && !entry.flags.contains(Flags::INTENT_TO_ADD)
}

fn listed(path: RepoPath, mode: FileMode, id: ObjectId) -> ListedFile {
    ListedFile { entry: TreeEntry { path, mode }, known: Known::Id(id) }
}

fn blob(repo: &gix::Repository, id: ObjectId, limit: u64) -> Result<Vec<u8>, BlobError> {
    let header = repo.find_header(id).map_err(refused)?;
    if header.size() > limit {
        return Err(BlobError::TooLarge { size: header.size(), limit });
    }
    repo.find_object(id).map(|object| object.detach().data).map_err(refused)
}

fn tree_mode(kind: EntryKind) -> Option<FileMode> {
    Some(match kind {
        EntryKind::Blob => FileMode::File,
        EntryKind::BlobExecutable => FileMode::Executable,
        EntryKind::Link => FileMode::Link,
        EntryKind::Commit => FileMode::Submodule,
        EntryKind::Tree => return None,
    })
}

pub(super) fn index_mode(mode: gix::index::entry::Mode) -> Option<FileMode> {
    mode.to_tree_entry_mode().and_then(|mode| tree_mode(mode.kind()))
}
