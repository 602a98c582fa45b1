//! Files as git has them: in the work tree, in the index, or in a commit.

mod filters;
mod history;
mod merges;
mod objects;
mod staged;
mod unlisted;
mod walk;
mod worktree;

pub(super) use filters::Hasher;
pub(super) use worktree::DiskProbe;

use super::{Basis, ViewError};
use crate::git::sparse_index::expand;
use canonry_model::canon::blob::BlobError;
use canonry_model::canon::{
    Blob, FileMode, FileSource, FileState, IgnoreMode, ListedFile, Listing, PathKind, SourceError,
};
use canonry_text::RepoPath;
use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::entry::Stage;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

/// Links followed before a loop is assumed, as in Linux.
pub(super) const MAX_LINKS: usize = 40;

/// A git repository at one basis, or one folder of it. All paths are relative to that folder; git's attributes, ignore
/// rules and index are asked with the path from the top.
pub struct GitSource {
    repo: gix::ThreadSafeRepository,
    /// The folder that counts as the root; empty for the whole repository.
    base: RepoPath,
    /// The folder on disk, without links in its path; `None` in a bare repository.
    workdir: Option<PathBuf>,
    /// The entries of the index below the folder, read when the source was opened. Empty if there is no index.
    index: Arc<gix::index::File>,
    /// The entire index, if the folder is not the whole repository.
    whole_index: Option<Arc<gix::index::File>>,
    content: Content,
    /// The revision whose history the content has: the commit, otherwise `HEAD`.
    revision: String,
    objects: Arc<objects::ObjectCache>,
    unlisted: OnceLock<unlisted::Unlisted>,
    /// Read when it is needed.
    file_system: OnceLock<worktree::FileSystem>,
    /// The work tree, if it was listed as a whole.
    kept: Mutex<Option<Arc<worktree::KeptListing>>>,
    /// Whether `IgnoreMode::Exclude` has an effect.
    ignore_rules: bool,
}

/// Content that is read.
enum Content {
    WorkTree,
    Index,
    /// The tree of the folder in the commit.
    Commit(ObjectId),
}

/// Both sides of each path that a merge has left unmerged.
pub(super) type Unmerged = BTreeMap<RepoPath, Vec<FileState>>;

impl GitSource {
    /// Opens a folder of a repository.
    ///
    /// # Errors
    /// See [`ViewError`].
    pub fn open(repo: &gix::Repository, basis: &Basis, base: &RepoPath) -> Result<Self, ViewError> {
        let workdir = repo.workdir().map(|dir| folder_on_disk(dir, base)).transpose()?;
        let revision = if let Basis::Commit(rev) = basis { rev.clone() } else { "HEAD".to_owned() };
        let content = match basis {
            Basis::Commit(rev) => Content::Commit(commit_folder(repo, rev, base)?),
            _ if workdir.is_none() => return Err(ViewError::Bare),
            Basis::WorkTree => Content::WorkTree,
            Basis::Index => Content::Index,
        };
        let index = expand(repo, open_index(repo)?).map_err(SourceError::git("objects"))?;
        let (index, whole_index) =
            if base.is_empty() { (index, None) } else { (index_below(&index, base), Some(Arc::new(index))) };
        Ok(Self {
            repo: repo.clone().into_sync(),
            base: base.clone(),
            workdir,
            index: Arc::new(index),
            whole_index,
            content,
            revision,
            objects: Arc::default(),
            unlisted: OnceLock::new(),
            file_system: OnceLock::new(),
            kept: Mutex::default(),
            ignore_rules: true,
        })
    }

    /// Opens the version before the basis: `HEAD` for the work tree and the index, the first parent for a commit.
    ///
    /// # Errors
    /// [`ViewError::Revision`] if there is no such version.
    pub fn open_before(&self, basis: &Basis) -> Result<Self, ViewError> {
        let repo = self.repo.to_thread_local();
        let revision = match basis {
            Basis::WorkTree | Basis::Index => "HEAD".to_owned(),
            Basis::Commit(rev) => format!("{rev}^"),
        };
        let content = Content::Commit(commit_folder(&repo, &revision, &self.base)?);
        Ok(Self {
            repo: self.repo.clone(),
            base: self.base.clone(),
            workdir: None,
            index: Arc::clone(&self.index),
            whole_index: self.whole_index.clone(),
            content,
            revision,
            objects: Arc::clone(&self.objects),
            unlisted: OnceLock::new(),
            file_system: OnceLock::new(),
            kept: Mutex::default(),
            ignore_rules: true,
        })
    }

    /// The same source without ignore rules: `IgnoreMode::Exclude` lists ignored files too.
    #[must_use]
    pub fn include_ignored(self) -> Self {
        Self { ignore_rules: false, ..self }
    }

    /// Whether the work tree is read.
    pub fn is_work_tree(&self) -> bool {
        matches!(self.content, Content::WorkTree)
    }

    /// Whether the files are those of a commit.
    pub fn is_commit(&self) -> bool {
        matches!(self.content, Content::Commit(_))
    }

    /// The revision whose history the content has.
    pub fn revision(&self) -> &str {
        &self.revision
    }

    /// A path from the top of the repository.
    pub(super) fn full(&self, path: &RepoPath) -> RepoPath {
        self.base.join(path.as_bstr())
    }

    /// The folder on disk; `None` in a bare repository.
    pub fn top(&self) -> Option<&Path> {
        self.workdir.as_deref()
    }

    fn whole_index(&self) -> &gix::index::File {
        self.whole_index.as_ref().unwrap_or(&self.index)
    }

    /// Git's folder that all work trees of the repository share. It outlives any of them.
    pub fn common_dir(&self) -> PathBuf {
        let dir = self.repo.to_thread_local().common_dir().to_owned();
        // A linked work tree has a path through its own folder.
        std::fs::canonicalize(&dir).unwrap_or(dir)
    }

    /// Whether the index has a file with exactly this name.
    pub fn is_tracked(&self, path: &RepoPath) -> bool {
        self.index.entry_by_path(path.as_bstr()).is_some()
    }

    /// The state of a path in the index; `None` if it has none, or during a merge.
    pub fn staged_state(&self, path: &RepoPath) -> Option<FileState> {
        let entry = self.index.entry_by_path(path.as_bstr()).filter(|entry| entry.stage() == Stage::Unconflicted)?;
        Some(FileState { id: entry.id, mode: objects::index_mode(entry.mode)? })
    }

    /// The state of a path in `HEAD`, or in the commit that is read.
    pub fn committed_state(&self, path: &RepoPath) -> Option<FileState> {
        self.objects.with_repo(&self.repo, |repo| {
            let tree = repo.rev_parse_single(self.revision.as_str()).ok()?.object().ok()?.peel_to_tree().ok()?;
            let entry = tree.lookup_entry(self.full(path).components().map(|part| part.as_bytes())).ok()??;
            Some(FileState { id: entry.object_id(), mode: FileMode::from_kind(entry.mode().kind())? })
        })
    }

    /// Paths below a folder that the index has.
    pub fn tracked(&self, folder: &RepoPath) -> impl Iterator<Item = RepoPath> + '_ {
        self.index_entries(folder).iter().map(|entry| RepoPath::new(entry.path(&self.index)))
    }

    /// Paths whose staged content differs from `HEAD`; `None` if an object cannot be read.
    pub fn staged_changes(&self) -> Option<BTreeSet<RepoPath>> {
        let repo = self.repo.to_thread_local();
        let head = folder_tree(&repo, repo.head_tree_id_or_empty().ok()?.detach(), &self.base).ok()?;
        staged::changes(&repo, &self.index, head).ok()
    }

    /// The unmerged paths of a work tree.
    pub(super) fn unmerged(&self) -> Unmerged {
        let mut unmerged = Unmerged::new();
        if !self.is_work_tree() {
            return unmerged;
        }
        let entries = self.index.entries().iter();
        for entry in entries.filter(|entry| matches!(entry.stage(), Stage::Ours | Stage::Theirs)) {
            let states = unmerged.entry(RepoPath::new(entry.path(&self.index))).or_default();
            states.extend(objects::index_mode(entry.mode).map(|mode| FileState { id: entry.id, mode }));
        }
        unmerged
    }

    /// The unmerged paths of the index; empty unless the index is read.
    pub fn unmerged_in_index(&self) -> BTreeSet<RepoPath> {
        if !matches!(self.content, Content::Index) {
            return BTreeSet::new();
        }
        let unmerged = self.index.entries().iter().filter(|entry| entry.stage() != Stage::Unconflicted);
        unmerged.map(|entry| RepoPath::new(entry.path(&self.index))).collect()
    }

    /// The content of a blob; `None` if git does not have it.
    pub(super) fn blob(&self, id: ObjectId) -> Option<Vec<u8>> {
        self.objects.with_repo(&self.repo, |repo| Some(repo.find_blob(id).ok()?.detach().data))
    }

    /// Whether a path is inside a submodule.
    pub(super) fn in_submodule(&self, path: &RepoPath) -> bool {
        let mut above = std::iter::successors(path.parent(), RepoPath::parent);
        self.objects.with_repo(&self.repo, |repo| {
            above.any(|path| self.object_at(repo, &path).is_some_and(|(_, mode)| mode == FileMode::Submodule))
        })
    }

    /// The object ids of the folders directly inside a folder, as far as git knows them without reading files: all of
    /// them in a commit, in the index those that nobody has staged into since their tree was written, `None` for the
    /// work tree.
    pub(super) fn subfolder_ids(&self, folder: &RepoPath) -> Option<BTreeMap<BString, ObjectId>> {
        match &self.content {
            Content::WorkTree => None,
            Content::Index => self.cached_subfolder_ids(folder),
            Content::Commit(tree) => self.tree_subfolder_ids(*tree, folder),
        }
    }

    /// All files below a folder except those in `excluded`, which are folders directly inside it.
    pub(super) fn list_except(&self, folder: &RepoPath, excluded: &BTreeSet<RepoPath>) -> Result<Listing, SourceError> {
        let files = match &self.content {
            Content::Commit(tree) if !excluded.is_empty() => self.list_tree_except(*tree, folder, excluded)?,
            Content::Index if !excluded.is_empty() => self.list_index_except(folder, excluded),
            _ => return self.list(folder, IgnoreMode::Include),
        };
        Ok(Listing { files, ..Listing::default() })
    }
}

impl FileSource for GitSource {
    fn list(&self, folder: &RepoPath, ignored: IgnoreMode) -> Result<Listing, SourceError> {
        match &self.content {
            Content::WorkTree => self.list_disk(folder, ignored),
            Content::Index => Ok(Listing { files: self.list_index(folder), ..Listing::default() }),
            Content::Commit(tree) => self.list_tree(*tree, folder),
        }
    }

    fn read(&self, path: &RepoPath, limit: u64) -> Blob {
        let read = match &self.content {
            Content::WorkTree => match self.path_on_disk(path) {
                Some(at) => match super::disk::read(&at, limit, |real| {
                    self.path_of(real).is_some_and(|path| !super::disk::is_of_git(&path))
                }) {
                    Err(BlobError::Absent) if self.skipped_state(path).is_some() => self.read_object(path, limit),
                    read => read,
                },
                None => return Blob::Missing(BlobError::Absent),
            },
            Content::Index | Content::Commit(_) => self.read_object(path, limit),
        };
        read.map_or_else(Blob::Missing, Blob::Bytes)
    }

    fn kind(&self, path: &RepoPath) -> PathKind {
        match &self.content {
            Content::WorkTree => match self.path_on_disk(path).map_or(PathKind::Nothing, |at| super::disk::kind(&at)) {
                PathKind::Nothing => self.skipped_kind(path),
                kind => kind,
            },
            Content::Index | Content::Commit(_) => self.object_kind(path),
        }
    }

    fn mode(&self, path: &RepoPath) -> Option<FileMode> {
        match &self.content {
            Content::WorkTree => self.worktree_mode(path),
            Content::Index => Some(self.staged_state(path)?.mode),
            Content::Commit(tree) => {
                let files = self.list_tree(*tree, path).ok()?.files;
                files.into_iter().find(|file| file.entry.path == *path).map(|file| file.entry.mode)
            }
        }
    }

    fn link_text(&self, path: &RepoPath) -> Option<BString> {
        match &self.content {
            Content::WorkTree => match super::disk::link_text(&self.path_on_disk(path)?) {
                None if self.is_outside_checkout(path) => self.link_object(path),
                text => text,
            },
            Content::Index | Content::Commit(_) => self.link_object(path),
        }
    }

    fn folders(&self, folder: &RepoPath) -> Vec<String> {
        let names: BTreeSet<String> = match &self.content {
            Content::WorkTree => {
                let on_disk = self.path_on_disk(folder).map(|at| super::disk::folders(&at)).unwrap_or_default();
                let mut names = self.skipped_folder_names(folder);
                names.extend(on_disk);
                names
            }
            Content::Index => {
                let skipped = if folder.is_empty() { 0 } else { folder.as_bstr().len() + 1 };
                let name = |path: RepoPath| {
                    let (name, _) = path.as_bstr().get(skipped..)?.split_once_str("/")?;
                    name.to_str().ok().map(str::to_owned)
                };
                self.tracked(folder).filter_map(name).collect()
            }
            Content::Commit(tree) => {
                let entries = self.tree_entries(*tree, folder).into_iter();
                let folders = entries.filter(|path| self.kind(path) == PathKind::Folder);
                folders.filter_map(|path| path.file_name().to_str().ok().map(str::to_owned)).collect()
            }
        };
        names.into_iter().collect()
    }

    fn states(&self, files: &[ListedFile]) -> Vec<Option<FileState>> {
        self.file_states(files)
    }

    fn resolve_link(&self, link: &RepoPath, text: &BStr) -> Option<RepoPath> {
        if self.is_work_tree() {
            let real = self.path_on_disk(link).and_then(|path| std::fs::canonicalize(path).ok());
            if let Some(real) = real {
                return self.path_of(&real);
            }
        }
        link.resolve_beside(text)
    }

    fn path_on_disk(&self, path: &RepoPath) -> Option<PathBuf> {
        super::disk::join(self.workdir.as_deref()?, path)
    }

    fn path_of(&self, absolute: &Path) -> Option<RepoPath> {
        super::disk::path_below(self.workdir.as_deref()?, absolute)
    }

    fn object_hash(&self) -> gix::hash::Kind {
        self.index.object_hash()
    }
}

fn folder_on_disk(workdir: &Path, base: &RepoPath) -> Result<PathBuf, SourceError> {
    let top = std::fs::canonicalize(workdir).map_err(SourceError::git("work tree"))?;
    if base.is_empty() {
        return Ok(top);
    }
    Ok(top.join(gix::path::from_bstr(base.as_bstr()).map_err(SourceError::git("paths"))?))
}

/// The tree of a folder in a commit, in a tag of a commit, or in a tree.
fn commit_folder(repo: &gix::Repository, rev: &str, base: &RepoPath) -> Result<ObjectId, ViewError> {
    // A revision such as `HEAD~1` whose base exists.
    let start = rev.split(['~', '^']).next().unwrap_or(rev);
    let is_cut_off = || start != rev && repo.is_shallow().unwrap_or(false) && repo.rev_parse_single(start).is_ok();
    let shallow = || ViewError::Shallow { rev: rev.to_owned() };
    let unknown = |reason: String| ViewError::Revision { rev: rev.to_owned(), reason };
    let id = repo.rev_parse_single(rev).map_err(|e| if is_cut_off() { shallow() } else { unknown(e.to_string()) })?;
    let damaged = SourceError::git("objects");
    let object = id.object().map_err(|e| if is_cut_off() { shallow() } else { damaged(e).into() })?;
    let tree = object.peel_to_tree().map_err(|e| unknown(e.to_string()))?;
    Ok(folder_tree(repo, tree.id, base).map_err(SourceError::git("objects"))?)
}

/// The tree of a folder in a tree; the empty tree if there is no such folder.
fn folder_tree(repo: &gix::Repository, tree: ObjectId, base: &RepoPath) -> gix::Result<ObjectId> {
    let mut here = tree;
    for name in base.components() {
        let entries = repo.find_tree(here)?;
        let below = entries.iter().filter_map(Result::ok).find(|entry| entry.filename() == name);
        match below.filter(|entry| entry.mode().is_tree()) {
            Some(entry) => here = entry.object_id(),
            None => return Ok(ObjectId::empty_tree(repo.object_hash())),
        }
    }
    Ok(here)
}

/// Does not verify the checksum of the index. Git does not either, and it costs more than everything else that is read.
fn open_index(repo: &gix::Repository) -> Result<gix::index::File, SourceError> {
    gix::index::File::at_or_default(repo.index_path(), repo.object_hash(), true, Default::default())
        .map_err(SourceError::git("index"))
}

/// The entries of the index below a folder, with paths relative to it.
fn index_below(whole: &gix::index::File, base: &RepoPath) -> gix::index::File {
    let mut state = gix::index::State::new(whole.object_hash());
    // Git's racy rule compares files with this time.
    state.set_timestamp(whole.timestamp());
    let mut prefix = base.as_bstr().to_owned();
    prefix.push(b'/');
    for entry in whole.prefixed_entries(prefix.as_bstr()).unwrap_or(&[]) {
        let path = &entry.path(whole)[prefix.len()..];
        if !path.is_empty() {
            state.dangerously_push_entry(entry.stat, entry.id, entry.flags, entry.mode, path.as_bstr());
        }
    }
    gix::index::File::from_state(state, whole.path())
}
