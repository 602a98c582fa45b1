//! Lists the files of the work tree. Folders are opened relative to its top and files are examined relative to their folder,
//! because the system resolves short paths faster: a check of 18,000 folders spends a fifth less time in the kernel.

use super::GitSource;
use super::worktree::{FileOnDisk, FileSystem};
use crate::fs::OpenFolder;
use canonry_model::canon::file_source::Identity;
use canonry_model::canon::io_diagnosis::IoDiagnosis;
use canonry_model::canon::{FileMode, FileSource, ListedFile, Listing, SourceError, TreeEntry};
use canonry_text::RepoPath;
use gix::index::entry::Stat;
use gix::index::entry::stat::Time;
use rayon::prelude::*;
use rustix::fs::{AtFlags, Dir, DirEntry, FileType, Stat as DiskStat, lstat, statat};
use std::io::{self, ErrorKind};

/// Number of folders that keeps all cores busy, and the levels to descend to find them.
const SPREAD: usize = 32;
const SPREAD_LEVELS: usize = 3;

/// Lists the folders below the top of a work tree.
struct Walk<'v> {
    source: &'v GitSource,
    file_system: FileSystem,
    top: OpenFolder,
}

impl GitSource {
    /// The files on disk below a folder, sorted.
    pub(super) fn walk_disk(&self, folder: &RepoPath) -> Result<Listing, SourceError> {
        let mut listing = Listing::default();
        let Some(top) = self.path_on_disk(&RepoPath::default()) else { return Ok(listing) };
        let file_system = self.file_system()?;
        let top = match OpenFolder::open(&top) {
            Ok(top) => top,
            Err(error) => {
                add_unreadable(folder, &error, &mut listing);
                return Ok(listing);
            }
        };
        let walk = Walk { source: self, file_system, top };
        let folders = walk.spread(folder, &mut listing);
        let walked: Vec<Listing> = folders.into_par_iter().map(|folder| walk.walk(folder)).collect();
        for part in walked {
            listing.files.extend(part.files);
            listing.odd.extend(part.odd);
            listing.unreadable.extend(part.unreadable);
            listing.repositories.extend(part.repositories);
        }
        listing.odd.sort();
        listing.files.par_sort_unstable_by(|a, b| a.entry.path.cmp(&b.entry.path));
        Ok(listing)
    }
}

impl Walk<'_> {
    /// Descends until there are enough folders for all cores, and lists the files above them.
    fn spread(&self, folder: &RepoPath, listing: &mut Listing) -> Vec<RepoPath> {
        if self.add_submodule(folder, listing) || folder.file_name() == ".git" {
            return Vec::new();
        }
        let Some(at) = self.source.path_on_disk(folder) else { return Vec::new() };
        match lstat(&at).map_err(io::Error::from) {
            Ok(stat) if is_folder(&stat) => {}
            // A link instead of the folder is listed as a link.
            Ok(stat) => {
                self.add(folder.clone(), &stat, listing);
                return Vec::new();
            }
            Err(error) => {
                add_unreadable(folder, &error, listing);
                return Vec::new();
            }
        }
        let mut folders = vec![folder.clone()];
        for _ in 0..SPREAD_LEVELS {
            if folders.is_empty() || folders.len() >= SPREAD {
                break;
            }
            let mut below = Vec::new();
            for folder in &folders {
                if let Some(mut dir) = self.open(folder, None, listing) {
                    below.extend(self.list_level(folder, &mut dir, listing));
                }
            }
            folders = below;
        }
        folders
    }

    fn walk(&self, folder: RepoPath) -> Listing {
        let mut listing = Listing::default();
        let mut folders = vec![folder];
        while let Some(folder) = folders.pop() {
            let Some(mut dir) = self.open(&folder, None, &mut listing) else { continue };
            // Two folders are open at a time, however deep the tree is.
            for inside in self.list_level(&folder, &mut dir, &mut listing) {
                if let Some(mut dir) = self.open(&inside, Some(&dir), &mut listing) {
                    folders.extend(self.list_level(&inside, &mut dir, &mut listing));
                }
            }
        }
        listing
    }

    fn open(&self, folder: &RepoPath, parent: Option<&Dir>, listing: &mut Listing) -> Option<Dir> {
        let path = gix::path::from_bstr(folder.as_bstr()).map_err(io::Error::other);
        let dir = path.and_then(|path| self.top.list(&path, parent));
        dir.map_err(|error| add_unreadable(folder, &error, listing)).ok()
    }

    /// Lists the files of one level and returns its folders.
    fn list_level(&self, folder: &RepoPath, dir: &mut Dir, listing: &mut Listing) -> Vec<RepoPath> {
        let mut folders = Vec::new();
        while let Some(entry) = dir.read() {
            match entry.map_err(io::Error::from).and_then(|entry| self.add_entry(folder, dir, &entry, listing)) {
                Ok(below) => folders.extend(below),
                Err(error) => {
                    add_unreadable(folder, &error, listing);
                    break;
                }
            }
        }
        folders
    }

    /// Lists an entry of a folder, or returns it if it is a folder itself. A file that is gone in the meantime is not listed.
    fn add_entry(
        &self,
        folder: &RepoPath,
        dir: &Dir,
        entry: &DirEntry,
        listing: &mut Listing,
    ) -> io::Result<Option<RepoPath>> {
        let name = entry.file_name().to_bytes();
        if matches!(name, b"." | b"..") {
            return Ok(None);
        }
        if name == b".git" {
            listing.repositories.push(folder.clone());
            return Ok(None);
        }
        let path = folder.join(name);
        // Some file systems do not say what an entry is.
        let is_folder = match entry.file_type() {
            FileType::Directory => true,
            FileType::Unknown => stat_entry(dir, entry)?.is_some_and(|stat| is_folder(&stat)),
            _ => false,
        };
        if is_folder {
            return Ok((!self.add_submodule(&path, listing)).then_some(path));
        }
        if let Some(stat) = stat_entry(dir, entry)? {
            self.add(path, &stat, listing);
        }
        Ok(None)
    }

    /// Lists a submodule as one entry, as git does; `false` for another folder.
    fn add_submodule(&self, folder: &RepoPath, listing: &mut Listing) -> bool {
        let Some(id) = self.source.submodules().get(folder).copied() else { return false };
        let entry = TreeEntry { path: folder.clone(), mode: FileMode::Submodule };
        listing.files.push(ListedFile { entry, identity: Identity::Id(id) });
        true
    }

    fn add(&self, path: RepoPath, stat: &DiskStat, listing: &mut Listing) {
        let kind = FileType::from_raw_mode(stat.st_mode);
        if !matches!(kind, FileType::RegularFile | FileType::Symlink) {
            listing.odd.push(path);
            return;
        }
        let file = FileOnDisk { is_link: kind == FileType::Symlink, is_executable: stat.st_mode & 0o100 != 0 };
        let mode = self.source.mode_on_disk(&path, file, &self.file_system.capabilities);
        listing.files.push(ListedFile { entry: TreeEntry { path, mode }, identity: Identity::Stat(index_stat(stat)) });
    }
}

fn is_folder(stat: &DiskStat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::Directory
}

/// `None` if the entry is gone.
fn stat_entry(dir: &Dir, entry: &DirEntry) -> io::Result<Option<DiskStat>> {
    match statat(dir.fd()?, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) {
        Err(error) if error == rustix::io::Errno::NOENT => Ok(None),
        stat => Ok(Some(stat?)),
    }
}

/// A folder that is gone in the meantime is not unreadable.
fn add_unreadable(folder: &RepoPath, error: &io::Error, listing: &mut Listing) {
    if error.kind() != ErrorKind::NotFound {
        listing.unreadable.push((folder.clone(), IoDiagnosis::from(error)));
    }
}

/// The state of a file as the index has it: git keeps 32 bits of each number.
#[allow(clippy::cast_possible_truncation, clippy::unnecessary_cast)]
fn index_stat(stat: &DiskStat) -> Stat {
    Stat {
        mtime: Time { secs: stat.st_mtime as u32, nsecs: stat.st_mtime_nsec as u32 },
        ctime: Time { secs: stat.st_ctime as u32, nsecs: stat.st_ctime_nsec as u32 },
        dev: stat.st_dev as u32,
        ino: stat.st_ino as u32,
        uid: stat.st_uid,
        gid: stat.st_gid,
        size: stat.st_size as u32,
    }
}
