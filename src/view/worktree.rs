//! The work tree: what lies on disk.

use super::cursor::Cursor;
use super::hasher::Hasher;
use super::{IgnoreMode, Known, ListedFile, Listing, PathKind, View, ViewError};
use crate::canon::io_diagnosis::IoDiagnosis;
use crate::canon::{FileMode, FileState, TreeEntry};
use crate::syntax::RepoPath;
use gix::index::entry::Stat;
use rayon::prelude::*;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Files handed to a thread at once: enough to share the cost of its attribute stack.
const CHUNK: usize = 256;
/// Folders that are enough for all cores to share, and levels that are gone down for them.
const SPREAD: usize = 32;
const SPREAD_LEVELS: usize = 3;

/// What is needed to judge a file by its stat.
struct Rules {
    stat: gix::index::entry::stat::Options,
    fs: gix::fs::Capabilities,
}

/// What a thread keeps from file to file.
struct Tools<'v> {
    cursor: Cursor<'v>,
    hasher: Option<Hasher<'v>>,
}

/// Tells what stands at paths on disk now. Making one costs more than asking it.
pub struct Probe<'v> {
    view: &'v View,
    fs: Option<gix::fs::Capabilities>,
    hasher: Hasher<'v>,
}

impl Probe<'_> {
    /// What stands at a path; `None` for nothing, and for what is neither file nor link.
    pub fn state(&mut self, path: &RepoPath) -> Option<FileState> {
        let meta = gix::index::fs::Metadata::from_path_no_follow(&self.view.on_disk(path)?).ok()?;
        if !meta.is_file() && !meta.is_symlink() {
            return None;
        }
        let mode = self.view.mode_on_disk(path, &meta, self.fs.as_ref()?);
        let id = self.hasher.id(&TreeEntry { path: path.clone(), mode })?;
        Some(FileState { id, mode })
    }
}

impl View {
    pub(super) fn list_disk(&self, folder: &RepoPath, ignored: IgnoreMode) -> Result<Listing, ViewError> {
        let Some(top) = self.on_disk(folder) else { return Ok(Listing::default()) };
        let rules = self.rules()?;
        let mut listing = Listing::default();
        let folders = self.spread(top, &rules, &mut listing);
        let walked: Vec<Listing> = folders.par_iter().map(|folder| self.walk(folder, &rules)).collect();
        for part in walked {
            listing.files.extend(part.files);
            listing.odd.extend(part.odd);
            listing.unreadable.extend(part.unreadable);
        }
        if ignored == IgnoreMode::Exclude {
            self.leave_out_ignored(&mut listing.files, |file| &file.entry.path)?;
            self.leave_out_ignored(&mut listing.odd, |path| path)?;
        }
        listing.odd.sort();
        listing.files.par_sort_unstable_by(|a, b| a.entry.path.cmp(&b.entry.path));
        Ok(listing)
    }

    /// Goes down until there are enough folders for all cores to share, and lists what lies above them.
    fn spread(&self, top: PathBuf, rules: &Rules, listing: &mut Listing) -> Vec<PathBuf> {
        let mut folders = vec![top];
        for _ in 0..SPREAD_LEVELS {
            if folders.is_empty() || folders.len() >= SPREAD {
                break;
            }
            folders = folders.iter().flat_map(|folder| self.level(folder, rules, listing)).collect();
        }
        folders
    }

    /// One level of a folder: its files into the listing, its folders as they are. Not by walkdir, which opens each folder
    /// of the level below, too.
    fn level(&self, folder: &Path, rules: &Rules, listing: &mut Listing) -> Vec<PathBuf> {
        let mut folders = Vec::new();
        let failed = |listing: &mut Listing, error: &std::io::Error| {
            if error.kind() != ErrorKind::NotFound {
                listing.unreadable.push((self.inside(folder).unwrap_or_default(), IoDiagnosis::from(error)));
            }
        };
        let kind = std::fs::symlink_metadata(folder).map(|meta| meta.file_type());
        let entries = match kind {
            _ if folder.file_name().is_some_and(|name| name == ".git") => return folders,
            Ok(kind) if kind.is_dir() => std::fs::read_dir(folder),
            // A link in the place of the folder is listed as the link that it is.
            Ok(kind) => {
                self.add(folder, kind, rules, listing);
                return folders;
            }
            Err(error) => Err(error),
        };
        let entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                failed(listing, &error);
                return folders;
            }
        };
        for entry in entries {
            match entry.and_then(|entry| Ok((entry.file_name(), entry.path(), entry.file_type()?))) {
                Ok((name, ..)) if name == ".git" => {}
                Ok((_, path, kind)) if kind.is_dir() => folders.push(path),
                Ok((_, path, kind)) => self.add(&path, kind, rules, listing),
                Err(error) => failed(listing, &error),
            }
        }
        folders
    }

    fn walk(&self, folder: &Path, rules: &Rules) -> Listing {
        let mut listing = Listing::default();
        for entry in WalkDir::new(folder).follow_root_links(false).into_iter().filter_entry(|e| e.file_name() != ".git")
        {
            match entry {
                Ok(entry) if entry.file_type().is_dir() => {}
                Ok(entry) => self.add(entry.path(), entry.file_type(), rules, &mut listing),
                Err(e) => {
                    let path = e.path().and_then(|path| self.inside(path)).unwrap_or_default();
                    listing.unreadable.push((path, walk_reason(&e)));
                }
            }
        }
        listing
    }

    fn add(&self, path: &Path, kind: std::fs::FileType, rules: &Rules, listing: &mut Listing) {
        match kind.is_file() || kind.is_symlink() {
            true => listing.files.extend(self.listed(path, rules)),
            false => listing.odd.extend(self.inside(path)),
        }
    }

    /// `None` for what is gone again.
    fn listed(&self, at: &Path, rules: &Rules) -> Option<ListedFile> {
        let path = self.inside(at)?;
        let meta = gix::index::fs::Metadata::from_path_no_follow(at).ok()?;
        let stat = Stat::from_fs(&meta).ok()?;
        let mode = self.mode_on_disk(&path, &meta, &rules.fs);
        Some(ListedFile { entry: TreeEntry { path, mode }, known: Known::Stat(stat) })
    }

    /// As git sees it: where the file system has no exec bit or no links, the index says what they were.
    fn mode_on_disk(&self, path: &RepoPath, meta: &gix::index::fs::Metadata, fs: &gix::fs::Capabilities) -> FileMode {
        if meta.is_symlink() {
            return FileMode::Link;
        }
        let tracked = || self.index.entry_by_path(path.as_bstr()).map(|e| e.mode);
        if !fs.symlink && tracked() == Some(gix::index::entry::Mode::SYMLINK) {
            return FileMode::Link;
        }
        let executable = match fs.executable_bit {
            true => meta.is_executable(),
            false => tracked() == Some(gix::index::entry::Mode::FILE_EXECUTABLE),
        };
        if executable { FileMode::Executable } else { FileMode::File }
    }

    fn rules(&self) -> Result<Rules, ViewError> {
        let repo = self.repo.to_thread_local();
        let stat = repo.stat_options().map_err(ViewError::git("configuration"))?;
        let fs = repo.filesystem_options().map_err(ViewError::git("configuration"))?;
        Ok(Rules { stat, fs })
    }

    /// Whether links can stand here: git's objects hold any, a work tree only where git checks links out.
    pub(super) fn holds_links(&self) -> bool {
        !self.is_work_tree() || self.rules().is_ok_and(|rules| rules.fs.symlink)
    }

    pub(super) fn states_of(&self, files: &[ListedFile]) -> Vec<Option<FileState>> {
        let Ok(rules) = self.rules() else { return vec![None; files.len()] };
        let of_chunk = |chunk: &[ListedFile]| {
            let mut tools = Tools { cursor: Cursor { index: &self.index, next: 0 }, hasher: None };
            chunk.iter().map(|file| self.state_of(file, &rules, &mut tools)).collect::<Vec<_>>()
        };
        files.par_chunks(CHUNK).flat_map_iter(of_chunk).collect()
    }

    fn state_of<'v>(&'v self, file: &ListedFile, rules: &Rules, tools: &mut Tools<'v>) -> Option<FileState> {
        let mode = file.entry.mode;
        let id = match &file.known {
            Known::Id(id) => *id,
            Known::Stat(stat) => match self.id_by_stat(file, stat, rules, &mut tools.cursor) {
                Some(id) => id,
                None => tools.hasher.get_or_insert_with(|| Hasher::new(self)).id(&file.entry)?,
            },
        };
        Some(FileState { id, mode })
    }

    /// The id that the index has for a file whose stat has not changed since (git's racy rule included).
    fn id_by_stat(
        &self,
        file: &ListedFile,
        stat: &Stat,
        rules: &Rules,
        cursor: &mut Cursor<'_>,
    ) -> Option<gix::ObjectId> {
        let entry = cursor.find(&file.entry.path)?;
        let same_kind = matches!(
            (file.entry.mode, entry.mode),
            (FileMode::Link, gix::index::entry::Mode::SYMLINK)
                | (
                    FileMode::File | FileMode::Executable,
                    gix::index::entry::Mode::FILE | gix::index::entry::Mode::FILE_EXECUTABLE
                )
        );
        let clean = same_kind
            && stat.matches(&entry.stat, rules.stat)
            && !entry.stat.is_racy(self.index.timestamp(), rules.stat);
        clean.then_some(entry.id)
    }

    /// Something that tells what stands at paths on disk now, whatever was known before.
    pub fn probe(&self) -> Probe<'_> {
        Probe { view: self, fs: self.rules().map(|rules| rules.fs).ok(), hasher: Hasher::new(self) }
    }

    pub(super) fn kind_on_disk(&self, path: &RepoPath) -> PathKind {
        let meta = self.on_disk(path).and_then(|path| std::fs::symlink_metadata(path).ok());
        match meta {
            None => PathKind::Nothing,
            Some(meta) if meta.is_dir() => PathKind::Folder,
            Some(_) => PathKind::File,
        }
    }
}

fn walk_reason(error: &walkdir::Error) -> IoDiagnosis {
    error.io_error().map_or_else(|| IoDiagnosis::from_message(error), IoDiagnosis::from)
}
