//! The index and commits: content by object id.

use super::{Content, GitSource, MAX_LINKS};
use canonry_model::canon::blob::BlobError;
use canonry_model::canon::file_source::Identity;
use canonry_model::canon::io_diagnosis::IoDiagnosis;
use canonry_model::canon::{FileMode, ListedFile, Listing, PathKind, SourceError, TreeEntry};
use canonry_text::RepoPath;
use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use gix::index::entry::{Flags, Stage};
use gix::objs::tree::EntryKind;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// The entries of a tree by name.
type TreeEntries = BTreeMap<BString, (ObjectId, EntryKind)>;

/// Cache that threads and the views of one repository share, so that no repository is opened and no tree is decoded
/// twice. The folder of a skill has the same tree in each mirror and in most commits.
#[derive(Default)]
pub(super) struct ObjectCache {
    /// Idle repositories are used again, because their caches, such as those of pack deltas, live as long as they do.
    idle: Mutex<Vec<gix::Repository>>,
    trees: Mutex<HashMap<ObjectId, Arc<TreeEntries>>>,
}

impl ObjectCache {
    /// Runs `work` with a repository that no other thread uses meanwhile.
    pub fn with_repo<R>(&self, repo: &gix::ThreadSafeRepository, work: impl FnOnce(&gix::Repository) -> R) -> R {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let repo = idle.unwrap_or_else(|| repo.to_thread_local());
        let result = work(&repo);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(repo);
        result
    }

    /// The entry at a path below the tree `root`.
    pub fn entry(&self, repo: &gix::Repository, root: ObjectId, path: &RepoPath) -> Option<(ObjectId, EntryKind)> {
        let folder = self.folder(repo, root, &path.parent()?)?;
        folder.get(path.file_name()).copied()
    }

    /// The entries of the folder at a path below the tree `root`.
    pub fn folder(&self, repo: &gix::Repository, root: ObjectId, path: &RepoPath) -> Option<Arc<TreeEntries>> {
        let mut tree = self.tree(repo, root).ok()?;
        for name in path.components() {
            let (id, _) = tree.get(name).filter(|(_, kind)| *kind == EntryKind::Tree).copied()?;
            tree = self.tree(repo, id).ok()?;
        }
        Some(tree)
    }

    fn tree(&self, repo: &gix::Repository, id: ObjectId) -> gix::Result<Arc<TreeEntries>> {
        let known = self.trees.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let mut entries = TreeEntries::new();
        for entry in repo.find_tree(id)?.iter() {
            let entry = entry?;
            entries.insert(entry.filename().to_owned(), (entry.object_id(), entry.mode().kind()));
        }
        let tree = Arc::new(entries);
        self.trees.lock().unwrap_or_else(PoisonError::into_inner).insert(id, Arc::clone(&tree));
        Ok(tree)
    }
}

impl GitSource {
    /// Removes the contents that the index or `HEAD` has at any path.
    pub fn remove_known<T>(&self, contents: &mut BTreeMap<ObjectId, T>) {
        self.whole_index().entries().iter().for_each(|entry| drop(contents.remove(&entry.id)));
        if contents.is_empty() {
            return;
        }
        self.objects.with_repo(&self.repo, |repo| {
            // Before the first commit, and in a damaged repository, nothing is known.
            let Ok(tree) = repo.head_tree() else { return };
            let Ok(files) = tree.traverse().breadthfirst.files() else { return };
            files.iter().for_each(|file| drop(contents.remove(&file.oid)));
        });
    }

    pub(super) fn list_index(&self, folder: &RepoPath) -> Vec<ListedFile> {
        let mut files = self.listed_entries(self.index_entries(folder));
        sort_unique(&mut files);
        files
    }

    fn listed_entries(&self, entries: &[gix::index::Entry]) -> Vec<ListedFile> {
        let file = |entry: &gix::index::Entry| {
            Some(listed(RepoPath::new(entry.path(&self.index)), index_mode(entry.mode)?, entry.id))
        };
        entries.iter().filter(|entry| has_content(entry)).filter_map(file).collect()
    }

    /// The entries at and below a path.
    pub(super) fn index_entries(&self, folder: &RepoPath) -> &[gix::index::Entry] {
        if folder.is_empty() {
            return self.index.entries();
        }
        let mut prefix = folder.as_bstr().to_owned();
        if self.index.entry_by_path(prefix.as_bstr()).is_none() {
            prefix.push(b'/');
        }
        self.index.prefixed_entries(prefix.as_bstr()).unwrap_or(&[])
    }

    /// The files of the index below a folder except those in `excluded`, which are folders directly inside it.
    pub(super) fn list_index_except(&self, root: &RepoPath, excluded: &BTreeSet<RepoPath>) -> Vec<ListedFile> {
        let mut listed = Vec::new();
        let mut rest = self.index_entries(root);
        while let Some(entry) = rest.first() {
            let path = RepoPath::new(entry.path(&self.index));
            let name = path.below(root).map(|below| below.split_str("/").next().unwrap_or_default().to_owned());
            let Some(top) = name.filter(|name| !name.is_empty()).map(|name| root.join(name)) else {
                return self.list_index(root);
            };
            let mut prefix = top.as_bstr().to_owned();
            prefix.push(b'/');
            let inside = rest.iter().take_while(|entry| entry.path(&self.index).starts_with(&prefix)).count().max(1);
            if !excluded.contains(&top) {
                listed.extend(self.listed_entries(&rest[..inside]));
            }
            rest = &rest[inside..];
        }
        sort_unique(&mut listed);
        listed
    }

    pub(super) fn cached_subfolder_ids(&self, folder: &RepoPath) -> Option<BTreeMap<BString, ObjectId>> {
        let valid = self.cached_tree(folder)?.children.iter().filter(|child| child.num_entries.is_some());
        Some(valid.map(|child| (BString::from(child.name.as_slice()), child.id)).collect())
    }

    /// The tree of a folder that git remembers in the index.
    fn cached_tree(&self, folder: &RepoPath) -> Option<&gix::index::extension::Tree> {
        let mut here = self.whole_index().tree()?;
        for name in self.full(folder).components() {
            let at = here.children.binary_search_by(|child| child.name.as_slice().cmp(name.as_bytes())).ok()?;
            here = &here.children[at];
        }
        Some(here)
    }

    /// The files of a tree, without reading it, if the index has the same ones.
    fn list_cached_tree(&self, tree: ObjectId, folder: &RepoPath) -> Option<Vec<ListedFile>> {
        let cached = self.cached_tree(folder).filter(|cached| cached.id == tree)?;
        let count = usize::try_from(cached.num_entries?).ok()?;
        let entries = self.index_entries(folder);
        // An index that was sparse when it was read has more.
        if entries.len() != count {
            return None;
        }
        let file = |entry: &gix::index::Entry| {
            Some(listed(RepoPath::new(entry.path(&self.index)), index_mode(entry.mode)?, entry.id))
        };
        entries.iter().map(file).collect()
    }

    pub(super) fn list_tree(&self, tree: ObjectId, folder: &RepoPath) -> Result<Listing, SourceError> {
        let top = Some((tree, EntryKind::Tree)).filter(|_| folder.is_empty());
        let found = top.or_else(|| self.tree_entry(tree, folder));
        let files = match found {
            None => Vec::new(),
            Some((id, EntryKind::Tree)) => self.list_subtree(id, folder)?,
            Some((id, kind)) => {
                FileMode::from_kind(kind).map(|mode| listed(folder.clone(), mode, id)).into_iter().collect()
            }
        };
        Ok(Listing { files, ..Listing::default() })
    }

    pub(super) fn list_tree_except(
        &self,
        tree: ObjectId,
        folder: &RepoPath,
        excluded: &BTreeSet<RepoPath>,
    ) -> Result<Vec<ListedFile>, SourceError> {
        let mut listed = Vec::new();
        for entry in self.tree_entries(tree, folder) {
            if !excluded.contains(&entry) {
                listed.extend(self.list_tree(tree, &entry)?.files);
            }
        }
        Ok(listed)
    }

    pub(super) fn tree_subfolder_ids(&self, tree: ObjectId, folder: &RepoPath) -> Option<BTreeMap<BString, ObjectId>> {
        let entries = self.objects.with_repo(&self.repo, |repo| self.objects.folder(repo, tree, folder))?;
        let folders = entries.iter().filter(|(_, (_, kind))| *kind == EntryKind::Tree);
        Some(folders.map(|(name, (id, _))| (name.clone(), *id)).collect())
    }

    /// The paths directly inside a folder of a commit.
    pub(super) fn tree_entries(&self, tree: ObjectId, folder: &RepoPath) -> Vec<RepoPath> {
        let entries = self.objects.with_repo(&self.repo, |repo| self.objects.folder(repo, tree, folder));
        entries.iter().flat_map(|entries| entries.keys()).map(|name| folder.join(name)).collect()
    }

    fn tree_entry(&self, tree: ObjectId, path: &RepoPath) -> Option<(ObjectId, EntryKind)> {
        self.objects.with_repo(&self.repo, |repo| self.objects.entry(repo, tree, path))
    }

    fn list_subtree(&self, tree: ObjectId, folder: &RepoPath) -> Result<Vec<ListedFile>, SourceError> {
        let mut files = Vec::new();
        let mut folders = vec![(folder.clone(), tree)];
        self.objects.with_repo(&self.repo, |repo| {
            while let Some((folder, tree)) = folders.pop() {
                if let Some(cached) = self.list_cached_tree(tree, &folder) {
                    files.extend(cached);
                    continue;
                }
                let entries = self.objects.tree(repo, tree).map_err(SourceError::git("objects"))?;
                for (name, (id, kind)) in entries.iter() {
                    let path = folder.join(name);
                    match FileMode::from_kind(*kind) {
                        Some(mode) => files.push(listed(path, mode, *id)),
                        None => folders.push((path, *id)),
                    }
                }
            }
            Ok(())
        })?;
        files.sort_unstable_by(|a, b| a.entry.path.cmp(&b.entry.path));
        Ok(files)
    }

    pub(super) fn read_object(&self, path: &RepoPath, limit: u64) -> Result<Vec<u8>, BlobError> {
        self.objects.with_repo(&self.repo, |repo| self.read_followed(repo, path, limit))
    }

    fn read_followed(&self, repo: &gix::Repository, path: &RepoPath, limit: u64) -> Result<Vec<u8>, BlobError> {
        let mut here = path.clone();
        let mut first_target = None;
        for _ in 0..MAX_LINKS {
            let Some((id, mode)) = self.object_at(repo, &here) else {
                return Err(first_target.map_or(BlobError::Absent, |target| BlobError::Dangling { target }));
            };
            match mode {
                FileMode::File | FileMode::Executable => return self.read_blob(repo, &here, id, limit),
                FileMode::Submodule => return Err(BlobError::NotAFile),
                FileMode::Link => {
                    let target = self.read_blob(repo, &here, id, limit)?;
                    let text = first_target.get_or_insert_with(|| target.to_str_lossy().into_owned());
                    let outside = BlobError::Outside { target: text.clone() };
                    here = here.resolve_beside(&target).ok_or(outside)?;
                }
            }
        }
        Err(BlobError::Loop { target: first_target.unwrap_or_default() })
    }

    pub(super) fn link_object(&self, path: &RepoPath) -> Option<BString> {
        self.objects.with_repo(&self.repo, |repo| {
            let (id, mode) = self.object_at(repo, path)?;
            (mode == FileMode::Link).then(|| self.read_blob(repo, path, id, u64::MAX).ok().map(BString::from)).flatten()
        })
    }

    pub(super) fn object_kind(&self, path: &RepoPath) -> PathKind {
        if path.is_empty() {
            return PathKind::Folder;
        }
        if self.objects.with_repo(&self.repo, |repo| self.object_at(repo, path)).is_some() {
            return PathKind::File;
        }
        let is_folder = match &self.content {
            Content::Commit(tree) => self.tree_entry(*tree, path).is_some_and(|(_, kind)| kind == EntryKind::Tree),
            _ => self.index_entries(path).iter().any(has_content),
        };
        if is_folder { PathKind::Folder } else { PathKind::Nothing }
    }

    fn read_blob(
        &self,
        repo: &gix::Repository,
        path: &RepoPath,
        id: ObjectId,
        limit: u64,
    ) -> Result<Vec<u8>, BlobError> {
        let check = |size| if size > limit { Err(BlobError::TooLarge { size, limit }) } else { Ok(()) };
        if limit < u64::MAX && !self.is_small(path, id, limit) {
            check(repo.find_header(id).map_err(unreadable)?.size())?;
        }
        let data = repo.find_object(id).map_err(unreadable)?.detach().data;
        // A filter can make a small file of a large object.
        check(data.len() as u64)?;
        Ok(data)
    }

    /// Whether the index says that the file with this content is not larger than `limit` bytes. Reading the size of a loose object
    /// takes as long as reading the object.
    fn is_small(&self, path: &RepoPath, id: ObjectId, limit: u64) -> bool {
        let entry = self.index.entry_by_path(path.as_bstr()).filter(|entry| entry.id == id);
        // Git writes 0 for a file that changed in the second of its `git add`.
        entry.is_some_and(|entry| entry.stat.size != 0 && u64::from(entry.stat.size) <= limit)
    }

    pub(super) fn object_at(&self, repo: &gix::Repository, path: &RepoPath) -> Option<(ObjectId, FileMode)> {
        if let Content::Commit(tree) = &self.content {
            let (id, kind) = self.objects.entry(repo, *tree, path)?;
            return FileMode::from_kind(kind).map(|mode| (id, mode));
        }
        let entry = self
            .index
            .entry_by_path(path.as_bstr())
            .or_else(|| self.index.entry_by_path_and_stage(path.as_bstr(), Stage::Ours))?;
        index_mode(entry.mode).map(|mode| (entry.id, mode))
    }
}

/// Sorts by path and removes duplicates: the index has several entries for an unmerged path.
fn sort_unique(files: &mut Vec<ListedFile>) {
    files.sort_unstable_by(|a, b| a.entry.path.cmp(&b.entry.path));
    files.dedup_by(|a, b| a.entry.path == b.entry.path);
}

/// Whether an entry has content. An unmerged path has the content of our side; a path added with `git add -N` has none.
fn has_content(entry: &gix::index::Entry) -> bool {
    matches!(entry.stage(), Stage::Unconflicted | Stage::Ours) && !entry.flags.contains(Flags::INTENT_TO_ADD)
}

fn listed(path: RepoPath, mode: FileMode, id: ObjectId) -> ListedFile {
    ListedFile { entry: TreeEntry { path, mode }, identity: Identity::Id(id) }
}

fn unreadable(reason: impl ToString) -> BlobError {
    BlobError::Refused { reason: IoDiagnosis::from_message(reason) }
}

pub(super) fn index_mode(mode: gix::index::entry::Mode) -> Option<FileMode> {
    mode.to_tree_entry_mode().and_then(|mode| FileMode::from_kind(mode.kind()))
}
