//! Reads a repository: files, links, locks, and the state of the mirrors.

mod disk;
mod git_source;
mod links;
pub mod load;
pub mod locks;
pub mod log;
mod memory;
#[cfg(test)]
mod mode_tests;
pub mod parsed_plans;
mod parsed_reports;
pub mod plan_files;
pub mod skill_constraints;
pub mod skill_registry;
#[cfg(test)]
mod staged_tests;
pub mod survey;
pub mod tool_files;
pub mod written;

pub use canonry_model::canon::{FileSource, IgnoreMode, ListedFile, Listing, PathKind, SourceError};
pub use disk::{DiskSource, leads_inside};
pub use git_source::GitSource;
pub use memory::MemorySource;

use canonry_model::canon::file_source::Identity;
use canonry_model::canon::{Blob, FileMode, FileState, TreeEntry};
use canonry_text::RepoPath;
use canonry_text::conflict::has_conflict;
use git_source::{DiskProbe, Hasher, Unmerged};
use gix::ObjectId;
use gix::bstr::{BStr, BString};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Which content of a repository is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Basis {
    /// The files on disk. Files that git ignores are not part of a canon.
    #[default]
    WorkTree,
    /// The staged files.
    Index,
    /// A commit, as a revision that git understands.
    Commit(String),
}

/// Why a view cannot be opened or read.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// No such revision.
    #[error("cannot read the revision `{rev}`: {reason}")]
    Revision {
        /// The revision as given.
        rev: String,
        /// Git's reason.
        reason: String,
    },
    /// The history of a shallow clone ends before the revision.
    #[error("this is a shallow clone, and {rev} is missing in it")]
    Shallow {
        /// The revision as given.
        rev: String,
    },
    /// The basis needs a work tree, and a bare repository has none.
    #[error("a bare repository has no work tree")]
    Bare,
    /// Git's own files cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
}

/// A file source with a cache and an overlay. The overlay replaces the content of single files, for example by fixes that are
/// not written yet.
pub struct View {
    source: Arc<dyn FileSource>,
    /// The same source, if it is git's.
    git: Option<Arc<GitSource>>,
    /// The folder of the repository that is the root of all paths; empty for the whole repository.
    base: RepoPath,
    overlay: BTreeMap<RepoPath, Vec<u8>>,
    cache: Mutex<HashMap<RepoPath, Arc<OnceLock<Blob>>>>,
}

impl View {
    /// Opens the version before the basis: `HEAD` for the work tree and the index, the first parent for a commit. `None` if
    /// there is no such version, or it is beyond the history of a shallow clone.
    ///
    /// # Errors
    /// Git's own files cannot be read.
    pub fn open_before(&self, basis: &Basis) -> Result<Option<Self>, ViewError> {
        let Some(git) = self.git() else { return Ok(None) };
        match git.open_before(basis) {
            Ok(source) => Ok(Some(Self::from_git(source, &self.base))),
            Err(ViewError::Revision { .. } | ViewError::Shallow { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// A view of a git source whose root is the folder `base` of the repository.
    pub fn from_git(source: GitSource, base: &RepoPath) -> Self {
        let git = Arc::new(source);
        Self { base: base.clone(), git: Some(Arc::clone(&git)), ..Self::new(git) }
    }

    /// A view of any source.
    pub fn new(source: Arc<dyn FileSource>) -> Self {
        Self {
            source,
            git: None,
            base: RepoPath::default(),
            overlay: BTreeMap::new(),
            cache: Mutex::new(HashMap::new()),
        }
    }

    /// The files below a folder, or the file itself. A folder that does not exist has no files.
    ///
    /// # Errors
    /// Git's own files cannot be read.
    pub fn list(&self, folder: &RepoPath, ignored: IgnoreMode) -> Result<Listing, ViewError> {
        Ok(FileSource::list(self, folder, ignored)?)
    }

    /// The content at a path, up to `limit` bytes. Follows links that stay inside the repository.
    pub fn read(&self, path: &RepoPath, limit: u64) -> Blob {
        match self.overlay.get(path) {
            Some(bytes) => Blob::Bytes(bytes.clone()),
            None => self.source.read(path, limit),
        }
    }

    /// The same as [`View::read`], but keeps the content for the next caller: for small files that several checks read,
    /// such as a plan that its reports are compared with.
    pub fn read_kept(&self, path: &RepoPath, limit: u64) -> Blob {
        if self.overlay.contains_key(path) {
            return self.read(path, limit);
        }
        // Reads without the lock on the cache: only those who want the same file wait.
        let kept = Arc::clone(self.cache().entry(path.clone()).or_default());
        kept.get_or_init(|| self.source.read(path, limit)).clone()
    }

    /// Lists the whole work tree now, so that none of its folders is listed again until [`View::forget`].
    ///
    /// # Errors
    /// Git's own files cannot be read.
    pub fn keep_listing(&self) -> Result<(), ViewError> {
        match self.git() {
            Some(git) => Ok(git.keep_listing()?),
            None => Ok(()),
        }
    }

    /// Forgets what was read and listed, because files have been written.
    pub fn forget(&self) {
        self.cache().clear();
        if let Some(git) = self.git() {
            git.forget();
        }
    }

    fn cache(&self) -> MutexGuard<'_, HashMap<RepoPath, Arc<OnceLock<Blob>>>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Kind of a path. Does not follow a link in the last component.
    pub fn kind(&self, path: &RepoPath) -> PathKind {
        match self.source.kind(path) {
            PathKind::Nothing if self.overlay.contains_key(path) => PathKind::File,
            kind => kind,
        }
    }

    /// The mode in which git keeps a file; `None` if there is no file, or nothing knows its mode.
    pub fn mode(&self, path: &RepoPath) -> Option<FileMode> {
        self.source.mode(path)
    }

    /// The target of the link at a path; `None` if there is no link.
    pub fn link_text(&self, path: &RepoPath) -> Option<BString> {
        self.source.link_text(path)
    }

    /// The names of the folders directly inside a folder, sorted, without links and without names that are not UTF-8.
    pub fn folders(&self, folder: &RepoPath) -> Vec<String> {
        self.source.folders(folder)
    }

    /// The git object id and the mode of each listed file; `None` for a file that cannot be read. Uses all cores.
    pub fn states(&self, files: &[ListedFile]) -> Vec<Option<FileState>> {
        self.source.states(files)
    }

    /// The states of the readable files below a folder, also of those that git ignores.
    ///
    /// # Errors
    /// Git's own files cannot be read.
    pub fn states_below(&self, folder: &RepoPath) -> Result<Vec<(RepoPath, FileState)>, ViewError> {
        let files = self.list(folder, IgnoreMode::Include)?.files;
        let states = self.states(&files);
        Ok(files.into_iter().zip(states).filter_map(|(file, state)| Some((file.entry.path, state?))).collect())
    }

    /// Replaces the content of a file for all reads that follow. Nothing is written.
    pub fn set_overlay(&mut self, path: RepoPath, bytes: Vec<u8>) {
        self.overlay.insert(path, bytes);
    }

    /// The replaced content by path.
    pub fn overlay(&self) -> &BTreeMap<RepoPath, Vec<u8>> {
        &self.overlay
    }

    /// Replaces the overlay as a whole.
    pub fn replace_overlay(&mut self, overlay: BTreeMap<RepoPath, Vec<u8>>) {
        self.overlay = overlay;
    }

    /// Adds the files that exist in the overlay only.
    fn add_overlay(&self, folder: &RepoPath, listing: &mut Listing) {
        let is_listed = |path: &RepoPath| listing.files.binary_search_by(|file| file.entry.path.cmp(path)).is_ok();
        let added: Vec<&RepoPath> =
            self.overlay.keys().filter(|path| path.is_within(folder) && !is_listed(path)).collect();
        let listed = |path: &RepoPath| ListedFile {
            entry: TreeEntry { path: path.clone(), mode: FileMode::File },
            identity: Identity::Unknown,
        };
        listing.files.extend(added.into_iter().filter(|path| self.source.kind(path) == PathKind::Nothing).map(listed));
        listing.files.sort_unstable_by(|a, b| a.entry.path.cmp(&b.entry.path));
    }

    /// The kind of the repository's object ids.
    pub fn object_hash(&self) -> gix::hash::Kind {
        self.source.object_hash()
    }

    /// The folder of the repository that is the root of all paths; empty for the whole repository.
    pub fn base(&self) -> &RepoPath {
        &self.base
    }

    /// A path from the top of the repository.
    pub fn full(&self, path: &RepoPath) -> RepoPath {
        self.base.join(path.as_bstr())
    }

    /// Where a path is on disk; `None` in a bare repository and in memory.
    pub fn on_disk(&self, path: &RepoPath) -> Option<PathBuf> {
        self.source.path_on_disk(path)
    }

    /// The view's path of an absolute path without links; `None` for a path outside the view.
    pub fn inside(&self, absolute: &Path) -> Option<RepoPath> {
        self.source.path_of(absolute)
    }
}

impl FileSource for View {
    fn list(&self, folder: &RepoPath, ignored: IgnoreMode) -> Result<Listing, SourceError> {
        let mut listing = self.source.list(folder, ignored)?;
        if !self.overlay.is_empty() {
            self.add_overlay(folder, &mut listing);
        }
        Ok(listing)
    }

    fn read(&self, path: &RepoPath, limit: u64) -> Blob {
        self.read(path, limit)
    }

    fn kind(&self, path: &RepoPath) -> PathKind {
        self.kind(path)
    }

    fn mode(&self, path: &RepoPath) -> Option<FileMode> {
        self.mode(path)
    }

    fn link_text(&self, path: &RepoPath) -> Option<BString> {
        self.link_text(path)
    }

    fn folders(&self, folder: &RepoPath) -> Vec<String> {
        self.folders(folder)
    }

    fn states(&self, files: &[ListedFile]) -> Vec<Option<FileState>> {
        self.states(files)
    }

    fn path_on_disk(&self, path: &RepoPath) -> Option<PathBuf> {
        self.on_disk(path)
    }

    fn path_of(&self, absolute: &Path) -> Option<RepoPath> {
        self.inside(absolute)
    }

    fn object_hash(&self) -> gix::hash::Kind {
        self.object_hash()
    }
}

/// Facts that only git knows. A view of another source has none of them.
impl View {
    /// The git source of the view, if it has one.
    pub fn git(&self) -> Option<&GitSource> {
        self.git.as_deref()
    }

    /// Whether the files are those of a folder on disk, without git.
    pub fn is_plain_folder(&self) -> bool {
        self.git().is_none() && self.on_disk(&RepoPath::default()).is_some()
    }

    /// Whether the view reads the work tree of a git repository.
    pub fn is_work_tree(&self) -> bool {
        self.git().is_some_and(GitSource::is_work_tree)
    }

    /// The revision whose history the content has.
    pub fn revision(&self) -> &str {
        self.git().map_or("HEAD", GitSource::revision)
    }

    /// The top of the work tree; `None` if there is none.
    pub fn top(&self) -> Option<&Path> {
        self.git().and_then(GitSource::top)
    }

    /// Whether the index has a file with exactly this name.
    pub fn is_tracked(&self, path: &RepoPath) -> bool {
        self.git().is_some_and(|git| git.is_tracked(path))
    }

    /// The state of a path in the index; `None` if it has none, or during a merge.
    pub fn staged_state(&self, path: &RepoPath) -> Option<FileState> {
        self.git()?.staged_state(path)
    }

    /// Whether a path exists only in the index, because the sparse checkout leaves it out.
    pub fn is_outside_checkout(&self, path: &RepoPath) -> bool {
        self.git().is_some_and(|git| git.is_outside_checkout(path))
    }

    /// Whether a path is a submodule.
    pub fn is_submodule(&self, path: &RepoPath) -> bool {
        self.git().is_some_and(|git| git.is_submodule(path))
    }

    /// Whether a folder is a submodule or the top of another repository.
    pub fn is_other_repository(&self, path: &RepoPath) -> bool {
        self.git().is_some_and(|git| git.is_other_repository(path))
    }

    /// Paths below a folder that the index has.
    pub fn tracked(&self, folder: &RepoPath) -> impl Iterator<Item = RepoPath> + '_ {
        self.git().map(|git| git.tracked(folder)).into_iter().flatten()
    }

    /// Paths whose staged content differs from `HEAD`; `None` if that is unknown.
    pub fn staged_changes(&self) -> Option<BTreeSet<RepoPath>> {
        self.git()?.staged_changes()
    }

    /// The paths among `paths` that git ignores, whether or not they exist.
    ///
    /// # Errors
    /// The ignore rules cannot be read.
    pub fn ignored(&self, paths: &[RepoPath]) -> Result<BTreeSet<RepoPath>, ViewError> {
        Ok(self.git().map(|git| git.ignored(paths)).transpose()?.unwrap_or_default())
    }

    /// Removes the contents that the index or `HEAD` has at any path.
    pub fn remove_known<T>(&self, contents: &mut BTreeMap<ObjectId, T>) {
        if let Some(git) = self.git() {
            git.remove_known(contents);
        }
    }

    /// Git's folder that all work trees of the repository share; `None` without git.
    pub fn common_dir(&self) -> Option<PathBuf> {
        self.git().map(GitSource::common_dir)
    }

    /// The bytes of a blob as git would write them at a path: with its line endings and through its filters.
    ///
    /// # Errors
    /// There is no git, the object cannot be read, or a filter fails.
    pub fn checked_out(&self, path: &RepoPath, id: ObjectId) -> Result<Vec<u8>, ViewError> {
        let git = self.git().ok_or_else(|| SourceError::git("objects")("this is not a git repository"))?;
        Ok(git.checked_out(path, id)?)
    }

    /// The filter that git applies to a file that is readable as such; `None` if no filter applies.
    fn failed_filter(&self, path: &RepoPath) -> Option<String> {
        let file = self.on_disk(path)?;
        let is_link = std::fs::symlink_metadata(&file).is_ok_and(|meta| meta.is_symlink());
        if is_link || crate::fs::open(file).is_err() {
            return None;
        }
        self.git()?.filter_name(path)
    }

    /// A reader of current states.
    pub fn probe(&self) -> Probe<'_> {
        Probe { view: self, disk: self.git().map(GitSource::probe) }
    }

    /// A converter of texts.
    pub fn texts(&self) -> Texts<'_> {
        Texts { view: self, hasher: self.hasher() }
    }

    /// The paths that a merge has left unmerged; empty unless the index is read.
    pub fn unmerged_in_index(&self) -> BTreeSet<RepoPath> {
        self.git().map(GitSource::unmerged_in_index).unwrap_or_default()
    }

    fn unmerged(&self) -> Unmerged {
        self.git().map(GitSource::unmerged).unwrap_or_default()
    }

    /// Whether a file of the work tree still has git's conflict markers.
    fn has_conflict(&self, path: &RepoPath) -> bool {
        let text = self.on_disk(path).and_then(|path| crate::fs::read(path).ok());
        text.is_some_and(|text| has_conflict(&text))
    }

    fn blob(&self, id: ObjectId) -> Option<Vec<u8>> {
        self.git()?.blob(id)
    }

    fn subfolder_ids(&self, folder: &RepoPath) -> Option<BTreeMap<BString, ObjectId>> {
        self.git()?.subfolder_ids(folder)
    }

    /// All files below a folder except those in `excluded`, which are folders directly inside it.
    fn list_except(&self, folder: &RepoPath, excluded: &BTreeSet<RepoPath>) -> Result<Listing, ViewError> {
        match self.git() {
            Some(git) => Ok(git.list_except(folder, excluded)?),
            None => self.list(folder, IgnoreMode::Include),
        }
    }

    fn hasher(&self) -> Option<Hasher<'_>> {
        self.git().map(Hasher::new)
    }

    fn resolve_link(&self, link: &RepoPath, text: &BStr) -> Option<RepoPath> {
        self.source.resolve_link(link, text)
    }
}

/// Reads the current state of paths, without what an earlier listing knew. Creating one is expensive.
pub struct Probe<'v> {
    view: &'v View,
    disk: Option<DiskProbe<'v>>,
}

impl Probe<'_> {
    /// The state of a path; `None` if there is no file and no link.
    pub fn state(&mut self, path: &RepoPath) -> Option<FileState> {
        if let Some(disk) = &mut self.disk {
            return disk.state(path);
        }
        let files = self.view.source.list(path, IgnoreMode::Include).ok()?.files;
        let file = files.into_iter().find(|file| file.entry.path == *path)?;
        self.view.source.states(&[file]).pop()?
    }

    /// The state that the file or link at `at` has if its path is `path`; `None` if there is neither, and without git.
    pub fn state_at(&mut self, path: &RepoPath, at: &Path) -> Option<FileState> {
        self.disk.as_mut()?.state_at(path, at)
    }

    /// The id of the content if its path is `path`; `None` without git.
    pub fn id_of(&mut self, path: &RepoPath, content: &[u8]) -> Option<ObjectId> {
        self.disk.as_mut()?.id_of(path, content)
    }
}

/// Converts texts between the form that git stores and the form that it checks out. Creating one is expensive.
pub struct Texts<'v> {
    view: &'v View,
    hasher: Option<Hasher<'v>>,
}

impl Texts<'_> {
    /// The bytes that git would store for the file at a path of the work tree.
    pub fn stored(&mut self, path: &RepoPath) -> Option<Vec<u8>> {
        self.hasher.as_mut()?.clean(path, path)
    }

    /// The content of a blob; `None` if git does not have it, as in a partial clone or before the first commit.
    pub fn blob(&self, id: ObjectId) -> Option<Vec<u8>> {
        self.view.blob(id)
    }

    /// A stored text as git would check it out at a path, and its id.
    pub fn checked_out(&mut self, path: &RepoPath, text: &[u8]) -> Option<(Vec<u8>, ObjectId)> {
        let hasher = self.hasher.as_mut()?;
        Some((hasher.smudge(path, text)?, hasher.hash(text)?))
    }
}
