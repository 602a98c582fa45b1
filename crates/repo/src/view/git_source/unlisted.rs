//! Entries of the index that the disk does not show as files: those that a sparse checkout leaves out, and submodules.

use super::{GitSource, objects};
use canonry_model::canon::file_source::Identity;
use canonry_model::canon::{FileMode, FileSource, FileState, ListedFile, PathKind, TreeEntry};
use canonry_text::RepoPath;
use gix::bstr::ByteSlice;
use gix::index::entry::{Flags, Mode, Stage};
use std::collections::{BTreeMap, BTreeSet};

/// Such entries of an index. Empty for almost every repository.
#[derive(Default)]
pub(super) struct Unlisted {
    /// Whether an entry has the skip-worktree bit.
    has_skipped: bool,
    /// The submodules, with the commits that they are at.
    pub submodules: BTreeMap<RepoPath, gix::ObjectId>,
}

impl Unlisted {
    fn find(index: &gix::index::State) -> Self {
        let mut found = Self::default();
        for entry in index.entries() {
            found.has_skipped |= entry.flags.contains(Flags::SKIP_WORKTREE);
            if entry.mode == Mode::COMMIT {
                found.submodules.insert(RepoPath::new(entry.path(index)), entry.id);
            }
        }
        found
    }
}

impl GitSource {
    fn unlisted(&self) -> &Unlisted {
        self.unlisted.get_or_init(|| Unlisted::find(&self.index))
    }

    pub(super) fn submodules(&self) -> &BTreeMap<RepoPath, gix::ObjectId> {
        &self.unlisted().submodules
    }

    /// Whether a path is a submodule.
    pub fn is_submodule(&self, path: &RepoPath) -> bool {
        if self.is_work_tree() {
            self.submodules().contains_key(path)
        } else {
            self.objects.with_repo(&self.repo, |repo| {
                self.object_at(repo, path).is_some_and(|(_, mode)| mode == FileMode::Submodule)
            })
        }
    }

    /// Whether a folder is a submodule, or the top of another repository, in which this one tracks nothing.
    pub fn is_other_repository(&self, path: &RepoPath) -> bool {
        if self.is_submodule(path) {
            return true;
        }
        let has_own_git = || {
            let at = self.path_on_disk(path).map(|folder| folder.join(".git"));
            at.is_some_and(|git| git.symlink_metadata().is_ok())
        };
        self.is_work_tree() && !path.is_empty() && has_own_git() && self.index_entries(path).is_empty()
    }

    /// The state in the index of a file that the sparse checkout leaves out, if the path is one and is not on disk.
    pub(super) fn skipped_state(&self, path: &RepoPath) -> Option<FileState> {
        if !self.is_work_tree() || !self.unlisted().has_skipped {
            return None;
        }
        let entry = self.index.entry_by_path(path.as_bstr())?;
        let is_skipped = entry.flags.contains(Flags::SKIP_WORKTREE) && entry.stage() == Stage::Unconflicted;
        let mode = objects::index_mode(entry.mode).filter(|_| is_skipped)?;
        Some(FileState { id: entry.id, mode })
    }

    /// Whether a path exists only in the index, because the sparse checkout leaves it out.
    pub fn is_outside_checkout(&self, path: &RepoPath) -> bool {
        self.skipped_kind(path) != PathKind::Nothing
            && self.path_on_disk_exists(path).is_some_and(|is_on_disk| !is_on_disk)
    }

    fn path_on_disk_exists(&self, path: &RepoPath) -> Option<bool> {
        Some(std::fs::symlink_metadata(self.path_on_disk(path)?).is_ok())
    }

    pub(super) fn skipped_kind(&self, path: &RepoPath) -> PathKind {
        match self.skipped_state(path) {
            Some(_) => PathKind::File,
            None if self.skipped_below(path).next().is_some() => PathKind::Folder,
            None => PathKind::Nothing,
        }
    }

    /// The entries below a folder that the sparse checkout leaves out.
    pub(super) fn skipped_below(&self, folder: &RepoPath) -> impl Iterator<Item = &gix::index::Entry> {
        let entries = if self.is_work_tree() && self.unlisted().has_skipped { self.index_entries(folder) } else { &[] };
        entries.iter().filter(|entry| entry.flags.contains(Flags::SKIP_WORKTREE))
    }

    /// Adds the files that the sparse checkout leaves out to the files on disk, which are sorted.
    pub(super) fn add_skipped(&self, folder: &RepoPath, files: &mut Vec<ListedFile>) {
        let mut added = Vec::new();
        for entry in self.skipped_below(folder) {
            let path = RepoPath::new(entry.path(&self.index));
            if files.binary_search_by(|file| file.entry.path.cmp(&path)).is_err() {
                let mode = objects::index_mode(entry.mode);
                let identity = Identity::Id(entry.id);
                added.extend(mode.map(|mode| ListedFile { entry: TreeEntry { path, mode }, identity }));
            }
        }
        if !added.is_empty() {
            files.extend(added);
            files.sort_unstable_by(|a, b| a.entry.path.cmp(&b.entry.path));
        }
    }

    pub(super) fn skipped_folder_names(&self, folder: &RepoPath) -> BTreeSet<String> {
        let start = if folder.is_empty() { 0 } else { folder.as_bstr().len() + 1 };
        let name = |entry: &gix::index::Entry| {
            let (name, _) = entry.path(&self.index).get(start..)?.split_once_str("/")?;
            name.to_str().ok().map(str::to_owned)
        };
        self.skipped_below(folder).filter_map(name).collect()
    }
}
