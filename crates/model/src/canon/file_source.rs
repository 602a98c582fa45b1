//! Where the bytes of files come from: a git view, the plain disk, or memory.

use super::io_diagnosis::IoDiagnosis;
use super::{Blob, FileMode, FileState, TreeEntry};
use bstr::{BStr, BString};
use canonry_text::RepoPath;
use gix_hash::ObjectId;
use std::path::{Path, PathBuf};

/// A tree of files that can be read. Paths are relative to its root. Several threads read at the same time.
pub trait FileSource: Send + Sync {
    /// The files below a folder, or the file itself. A folder that does not exist has no files.
    ///
    /// # Errors
    /// The source itself cannot be read. A folder that cannot be read is no error: see [`Listing::unreadable`].
    fn list(&self, folder: &RepoPath, ignored: IgnoreMode) -> Result<Listing, SourceError>;

    /// The content at a path, up to `limit` bytes. Follows links that stay inside the source.
    fn read(&self, path: &RepoPath, limit: u64) -> Blob;

    /// Kind of a path. Does not follow a link in the last component.
    fn kind(&self, path: &RepoPath) -> PathKind;

    /// The mode in which the source keeps a file; `None` if there is no file, or nothing knows its mode.
    fn mode(&self, path: &RepoPath) -> Option<FileMode> {
        let files = self.list(path, IgnoreMode::Include).ok()?.files;
        files.into_iter().find(|file| file.entry.path == *path).map(|file| file.entry.mode)
    }

    /// The target of the link at a path; `None` if there is no link.
    fn link_text(&self, path: &RepoPath) -> Option<BString>;

    /// The names of the folders directly inside a folder, sorted, without links and without names that are not UTF-8.
    fn folders(&self, folder: &RepoPath) -> Vec<String>;

    /// The git object id and the mode of each listed file; `None` for a file that cannot be read. By default the content
    /// counts as it is, without git's filters.
    fn states(&self, files: &[ListedFile]) -> Vec<Option<FileState>> {
        let state = |file: &ListedFile| {
            let TreeEntry { path, mode } = &file.entry;
            let bytes = match (mode, self.read(path, u64::MAX)) {
                (FileMode::Link, _) => self.link_text(path)?.into(),
                (_, Blob::Bytes(bytes)) => bytes,
                (_, Blob::Missing(_)) => return None,
            };
            // Hashing fails only on a detected SHA-1 collision.
            let id = gix_object::compute_hash(self.object_hash(), gix_object::Kind::Blob, &bytes).ok()?;
            Some(FileState { id, mode: *mode })
        };
        files.iter().map(state).collect()
    }

    /// The path that a link leads to; `None` if it leaves the source. By default only the text of the link counts.
    fn resolve_link(&self, link: &RepoPath, text: &BStr) -> Option<RepoPath> {
        link.resolve_beside(text)
    }

    /// Where a path is on disk; `None` if the source has no place on disk.
    fn path_on_disk(&self, path: &RepoPath) -> Option<PathBuf> {
        let _ = path;
        None
    }

    /// The source's path of an absolute path without links; `None` for a path outside the source.
    fn path_of(&self, absolute: &Path) -> Option<RepoPath>;

    /// The kind of the object ids that [`Self::states`] returns.
    fn object_hash(&self) -> gix_hash::Kind {
        gix_hash::Kind::Sha1
    }
}

/// A source cannot be read at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot read git's {part}: {reason}")]
pub struct SourceError {
    /// The part of git that cannot be read, for example `index`.
    pub part: &'static str,
    /// The reason.
    pub reason: String,
}

impl SourceError {
    /// For `map_err`: wraps an error of one part of git.
    pub fn git<E: ToString>(part: &'static str) -> impl Fn(E) -> Self {
        move |error| Self { part, reason: error.to_string() }
    }
}

/// Whether files that git ignores are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoreMode {
    /// Ignored files are not listed.
    Exclude,
    /// All files are listed.
    Include,
}

/// Kind of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// A file or a link.
    File,
    /// A folder.
    Folder,
    /// Nothing.
    Nothing,
}

/// A listed path and what the listing already knows about its content.
#[derive(Clone, Debug)]
pub struct ListedFile {
    /// Path and mode.
    pub entry: TreeEntry,
    /// Identity of the content, as the listing knows it.
    pub identity: Identity,
}

impl ListedFile {
    /// The object id, if the listing knows it.
    pub fn id(&self) -> Option<ObjectId> {
        match self.identity {
            Identity::Id(id) => Some(id),
            Identity::Stat(_) | Identity::Unknown => None,
        }
    }
}

/// Identity of a file's content in a listing.
#[derive(Clone, Debug)]
pub enum Identity {
    /// The file's stat, to compare with the index.
    Stat(gix_index::entry::Stat),
    /// The object id.
    Id(ObjectId),
    /// Nothing.
    Unknown,
}

/// The files below a folder.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// Sorted by path.
    pub files: Vec<ListedFile>,
    /// Pipes, sockets and devices, sorted. They are never opened, and git does not store them.
    pub odd: Vec<RepoPath>,
    /// Folders that cannot be read, and why.
    pub unreadable: Vec<(RepoPath, IoDiagnosis)>,
    /// Folders below the top that hold a `.git`.
    pub repositories: Vec<RepoPath>,
}

impl Listing {
    /// Paths and modes, sorted by path. Pipes and devices count as files: a skill whose document is a pipe is still a
    /// skill, with an unreadable document.
    pub fn entries(&self) -> Vec<TreeEntry> {
        let mut entries: Vec<TreeEntry> = self.files.iter().map(|file| file.entry.clone()).collect();
        if !self.odd.is_empty() {
            entries.extend(self.odd.iter().map(|path| TreeEntry { path: path.clone(), mode: FileMode::File }));
            entries.sort();
        }
        entries
    }
}
