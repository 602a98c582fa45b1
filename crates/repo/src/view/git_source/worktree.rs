//! The work tree: listing, ignore rules, and object ids by stat.

use super::GitSource;
use super::filters::Hasher;
use canonry_model::canon::file_source::Identity;
use canonry_model::canon::{FileMode, FileSource, FileState, IgnoreMode, ListedFile, Listing, SourceError, TreeEntry};
use canonry_text::RepoPath;
use gix::bstr::ByteSlice;
use gix::index::entry::{Mode as IndexMode, Stage, Stat};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, MutexGuard, PoisonError};

/// Files given to a thread at once: enough to share the cost of its attribute stack.
const CHUNK: usize = 256;

/// Type and mode of a file or link on disk.
#[derive(Clone, Copy)]
pub(super) struct FileOnDisk {
    pub is_link: bool,
    pub is_executable: bool,
}

impl From<&gix::index::fs::Metadata> for FileOnDisk {
    fn from(meta: &gix::index::fs::Metadata) -> Self {
        Self { is_link: meta.is_symlink(), is_executable: meta.is_executable() }
    }
}

/// Git's configuration of this file system.
#[derive(Clone, Copy)]
pub(super) struct FileSystem {
    stat: gix::index::entry::stat::Options,
    pub capabilities: gix::fs::Capabilities,
}

/// The whole work tree at one moment.
pub(super) struct KeptListing {
    /// With ignored files.
    included: Listing,
    /// Without them.
    excluded: Listing,
}

impl KeptListing {
    /// The files below a folder. `None` if they have to be read: there are none, or the folder is below a link or in another
    /// repository.
    fn below(&self, folder: &RepoPath, ignored: IgnoreMode) -> Option<Listing> {
        let listing = match ignored {
            IgnoreMode::Include => &self.included,
            IgnoreMode::Exclude => &self.excluded,
        };
        if folder.is_empty() {
            return Some(listing.clone());
        }
        let all = &self.included.files;
        let above = std::iter::successors(folder.parent(), RepoPath::parent);
        let is_entry = |path: &RepoPath| all.binary_search_by(|file| file.entry.path.cmp(path)).is_ok();
        let is_repository = self.included.repositories.contains(folder);
        if is_repository || above.into_iter().any(|path| is_entry(&path)) || files_below(all, folder).is_empty() {
            return None;
        }
        let is_inside = |path: &&RepoPath| path.is_within(folder);
        Some(Listing {
            files: files_below(&listing.files, folder).to_vec(),
            odd: listing.odd.iter().filter(is_inside).cloned().collect(),
            unreadable: listing.unreadable.iter().filter(|(path, _)| path.is_within(folder)).cloned().collect(),
            repositories: listing.repositories.iter().filter(is_inside).cloned().collect(),
        })
    }
}

/// The file at a path, or those below it.
fn files_below<'a>(files: &'a [ListedFile], folder: &RepoPath) -> &'a [ListedFile] {
    let mut inside = folder.as_bstr().to_owned();
    inside.push(b'/');
    let start = files.partition_point(|file| file.entry.path.as_bstr() < folder.as_bstr());
    if files.get(start).is_some_and(|file| file.entry.path == *folder) {
        return &files[start..=start];
    }
    let start = files.partition_point(|file| file.entry.path.as_bstr() < inside.as_bstr());
    let count = files[start..].partition_point(|file| file.entry.path.as_bstr().starts_with(&inside));
    &files[start..start + count]
}

/// State that a thread keeps from file to file.
struct ThreadState<'v> {
    cursor: Cursor<'v>,
    hasher: Option<Hasher<'v>>,
}

/// Reads the current state of paths on disk, without what an earlier listing knew. Creating one is expensive.
pub(in crate::view) struct DiskProbe<'v> {
    source: &'v GitSource,
    capabilities: Option<gix::fs::Capabilities>,
    hasher: Hasher<'v>,
}

impl DiskProbe<'_> {
    /// The state of a path; `None` if there is no file and no link.
    pub fn state(&mut self, path: &RepoPath) -> Option<FileState> {
        let at = self.source.path_on_disk(path)?;
        match at.symlink_metadata() {
            Ok(_) => self.state_at(path, &at),
            Err(_) => self.source.skipped_state(path),
        }
    }

    /// The state that the file or link at `at` has if its path is `path`; `None` if there is neither.
    pub fn state_at(&mut self, path: &RepoPath, at: &Path) -> Option<FileState> {
        let meta = gix::index::fs::Metadata::from_path_no_follow(at).ok()?;
        if !meta.is_file() && !meta.is_symlink() {
            return None;
        }
        let mode = self.source.mode_on_disk(path, FileOnDisk::from(&meta), self.capabilities.as_ref()?);
        let bytes = if meta.is_symlink() {
            at.read_link().ok()?.into_os_string().into_encoded_bytes()
        } else if mode == FileMode::Link {
            crate::fs::read(at).ok()?
        } else {
            self.hasher.clean_content(path, crate::fs::open(at).ok()?)?
        };
        Some(FileState { id: self.hasher.hash(&bytes)?, mode })
    }

    /// The id of the content if its path is `path`.
    pub fn id_of(&mut self, path: &RepoPath, content: &[u8]) -> Option<gix::ObjectId> {
        let stored = self.hasher.clean_content(path, content)?;
        self.hasher.hash(&stored)
    }
}

/// Finds index entries for paths that mostly come in order: then the next entry is the right one.
struct Cursor<'v> {
    index: &'v gix::index::File,
    next: usize,
}

impl<'v> Cursor<'v> {
    fn find(&mut self, path: &RepoPath) -> Option<&'v gix::index::Entry> {
        let entries = self.index.entries();
        let is_next = |entry: &&gix::index::Entry| {
            entry.stage() == Stage::Unconflicted && entry.path(self.index) == path.as_bstr()
        };
        let at = match entries.get(self.next).filter(is_next) {
            Some(_) => self.next,
            None => self.index.entry_index_by_path(path.as_bstr()).ok()?,
        };
        self.next = at + 1;
        entries.get(at).filter(|entry| entry.stage() == Stage::Unconflicted)
    }
}

impl GitSource {
    pub(super) fn list_disk(&self, folder: &RepoPath, ignored: IgnoreMode) -> Result<Listing, SourceError> {
        let kept = self.kept_listing().and_then(|kept| kept.below(folder, ignored));
        match kept {
            Some(listing) => Ok(listing),
            None => self.complete(folder, self.walk_disk(folder)?, ignored),
        }
    }

    /// Lists the whole work tree. Until [`GitSource::forget`], its folders are not read again.
    pub(in crate::view) fn keep_listing(&self) -> Result<(), SourceError> {
        if self.is_work_tree() {
            let top = RepoPath::default();
            let walked = self.walk_disk(&top)?;
            let kept = KeptListing {
                included: self.complete(&top, walked.clone(), IgnoreMode::Include)?,
                excluded: self.complete(&top, walked, IgnoreMode::Exclude)?,
            };
            *self.lock_kept() = Some(Arc::new(kept));
        }
        Ok(())
    }

    /// Reads folders anew from now on.
    pub(in crate::view) fn forget(&self) {
        *self.lock_kept() = None;
    }

    fn kept_listing(&self) -> Option<Arc<KeptListing>> {
        self.lock_kept().clone()
    }

    fn lock_kept(&self) -> MutexGuard<'_, Option<Arc<KeptListing>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The listing as git sees it: without ignored files, if they are excluded, and with those outside the checkout.
    fn complete(&self, folder: &RepoPath, walked: Listing, ignored: IgnoreMode) -> Result<Listing, SourceError> {
        let mut listing = walked;
        if ignored == IgnoreMode::Exclude {
            self.exclude_ignored(&mut listing.files, |file| &file.entry.path)?;
            self.exclude_ignored(&mut listing.odd, |path| path)?;
        }
        self.add_skipped(folder, &mut listing.files);
        self.close_repositories(folder, &mut listing);
        Ok(listing)
    }

    /// Lists another repository as one entry, as git does, unless this one tracks files in it.
    fn close_repositories(&self, folder: &RepoPath, listing: &mut Listing) {
        let is_other = |path: &RepoPath| path != folder && !path.is_empty() && self.index_entries(path).is_empty();
        listing.repositories.retain(is_other);
        if listing.repositories.is_empty() {
            return;
        }
        listing.repositories.sort();
        listing.repositories.dedup_by(|inner, outer| inner.is_within(outer));
        let id = gix::ObjectId::null(self.object_hash());
        for repository in &listing.repositories {
            let count = listing.files.len();
            listing.files.retain(|file| !file.entry.path.is_within(repository));
            listing.odd.retain(|path| !path.is_within(repository));
            // One whose files are all ignored is ignored.
            if listing.files.len() < count {
                let entry = TreeEntry { path: repository.clone(), mode: FileMode::Submodule };
                listing.files.push(ListedFile { entry, identity: Identity::Id(id) });
            }
        }
        listing.files.sort_unstable_by(|a, b| a.entry.path.cmp(&b.entry.path));
    }

    /// The mode as git sees it: on a file system without exec bits or links, the index knows them.
    pub(super) fn mode_on_disk(&self, path: &RepoPath, file: FileOnDisk, fs: &gix::fs::Capabilities) -> FileMode {
        if file.is_link {
            return FileMode::Link;
        }
        let tracked = || self.index.entry_by_path(path.as_bstr()).map(|e| e.mode);
        if !fs.symlink && tracked() == Some(IndexMode::SYMLINK) {
            return FileMode::Link;
        }
        let executable =
            if fs.executable_bit { file.is_executable } else { tracked() == Some(IndexMode::FILE_EXECUTABLE) };
        if executable { FileMode::Executable } else { FileMode::File }
    }

    /// The mode of a file for those who clone the repository: that in the index, unless the exec bit is set on disk and not
    /// staged yet. An untracked file has the mode on disk, if the file system has modes.
    pub(super) fn worktree_mode(&self, path: &RepoPath) -> Option<FileMode> {
        let capabilities = self.file_system().ok()?.capabilities;
        let on_disk = || {
            let meta = gix::index::fs::Metadata::from_path_no_follow(&self.path_on_disk(path)?).ok()?;
            (meta.is_file() || meta.is_symlink())
                .then(|| self.mode_on_disk(path, FileOnDisk::from(&meta), &capabilities))
        };
        let on_disk = if capabilities.executable_bit { on_disk() } else { None };
        let is_set = on_disk == Some(FileMode::Executable);
        let staged = self.staged_state(path).map(|state| state.mode).filter(|_| !is_set);
        staged.or(on_disk)
    }

    pub(super) fn file_system(&self) -> Result<FileSystem, SourceError> {
        if let Some(known) = self.file_system.get() {
            return Ok(*known);
        }
        let repo = self.repo.to_thread_local();
        let stat = repo.stat_options().map_err(SourceError::git("configuration"))?;
        let capabilities = repo.filesystem_options().map_err(SourceError::git("configuration"))?;
        Ok(*self.file_system.get_or_init(|| FileSystem { stat, capabilities }))
    }

    /// Whether the content can have links: objects always can, a work tree only if git checks links out as links.
    pub(in crate::view) fn supports_links(&self) -> bool {
        !self.is_work_tree() || self.file_system().is_ok_and(|found| found.capabilities.symlink)
    }

    pub(super) fn file_states(&self, files: &[ListedFile]) -> Vec<Option<FileState>> {
        let Ok(file_system) = self.file_system() else { return vec![None; files.len()] };
        let of_chunk = |chunk: &[ListedFile]| {
            let mut thread = ThreadState { cursor: Cursor { index: &self.index, next: 0 }, hasher: None };
            chunk.iter().map(|file| self.file_state(file, &file_system, &mut thread)).collect::<Vec<_>>()
        };
        files.par_chunks(CHUNK).flat_map_iter(of_chunk).collect()
    }

    fn file_state<'v>(
        &'v self,
        file: &ListedFile,
        file_system: &FileSystem,
        thread: &mut ThreadState<'v>,
    ) -> Option<FileState> {
        let known = match &file.identity {
            Identity::Id(id) => Some(*id),
            Identity::Stat(stat) => self.id_by_stat(file, stat, file_system, &mut thread.cursor),
            Identity::Unknown => None,
        };
        let id = match known {
            Some(id) => id,
            None => thread.hasher.get_or_insert_with(|| Hasher::new(self)).id(&file.entry)?,
        };
        Some(FileState { id, mode: file.entry.mode })
    }

    /// The id in the index, if the file's stat has not changed since. Git's racy rule applies.
    fn id_by_stat(
        &self,
        file: &ListedFile,
        stat: &Stat,
        file_system: &FileSystem,
        cursor: &mut Cursor<'_>,
    ) -> Option<gix::ObjectId> {
        let entry = cursor.find(&file.entry.path)?;
        let same_kind = matches!(
            (file.entry.mode, entry.mode),
            (FileMode::Link, IndexMode::SYMLINK)
                | (FileMode::File | FileMode::Executable, IndexMode::FILE | IndexMode::FILE_EXECUTABLE)
        );
        let clean = same_kind
            && stat.matches(&entry.stat, file_system.stat)
            && !entry.stat.is_racy(self.index.timestamp(), file_system.stat);
        clean.then_some(entry.id)
    }

    /// A reader of current states on disk.
    pub(in crate::view) fn probe(&self) -> DiskProbe<'_> {
        let capabilities = self.file_system().map(|found| found.capabilities).ok();
        DiskProbe { source: self, capabilities, hasher: Hasher::new(self) }
    }

    /// The paths among `paths` that git ignores, whether or not they exist.
    ///
    /// # Errors
    /// The ignore rules cannot be read.
    pub fn ignored(&self, paths: &[RepoPath]) -> Result<BTreeSet<RepoPath>, SourceError> {
        let mut kept = paths.to_vec();
        self.exclude_ignored(&mut kept, |path| path)?;
        let kept: BTreeSet<RepoPath> = kept.into_iter().collect();
        Ok(paths.iter().filter(|path| !kept.contains(*path)).cloned().collect())
    }

    /// Removes ignored files. A tracked file is never ignored, even if a pattern matches it.
    fn exclude_ignored<T: Sync>(
        &self,
        files: &mut Vec<T>,
        path: impl Fn(&T) -> &RepoPath + Sync,
    ) -> Result<(), SourceError> {
        let tracked = |file: &T| self.is_tracked(path(file));
        let are_tracked = |chunk: &[T]| {
            let mut cursor = Cursor { index: &self.index, next: 0 };
            chunk.iter().all(|file| cursor.find(path(file)).is_some())
        };
        if !self.ignore_rules || files.par_chunks(CHUNK).all(are_tracked) {
            return Ok(());
        }
        let keep: Result<Vec<Vec<bool>>, SourceError> = files
            .par_chunks(CHUNK)
            .map(|chunk| {
                let repo = self.repo.to_thread_local();
                let source = gix::worktree::stack::state::ignore::Source::WorktreeThenIdMappingIfNotSkipped;
                let rules = repo.excludes(self.whole_index(), None, source);
                let mut stack = rules.map_err(SourceError::git("ignore rules"))?;
                let mut ignored = |file: &T| {
                    let at = stack.at_entry(self.full(path(file)).as_bstr(), Some(IndexMode::FILE));
                    at.is_ok_and(|at| at.is_excluded())
                };
                Ok(chunk.iter().map(|file| tracked(file) || !ignored(file)).collect())
            })
            .collect();
        let mut keep = keep?.into_iter().flatten();
        files.retain(|_| keep.next().unwrap_or(true));
        Ok(())
    }
}
