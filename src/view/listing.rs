//! What lies below a folder.

use crate::canon::io_diagnosis::IoDiagnosis;
use crate::canon::{FileMode, TreeEntry};
use crate::syntax::RepoPath;
use gix::ObjectId;

/// A listed path with what is already known of its content.
#[derive(Clone, Debug)]
pub struct ListedFile {
    /// Path and kind.
    pub entry: TreeEntry,
    pub(super) known: Known,
}

impl ListedFile {
    /// The blob's id, where it is known without a look at the file.
    pub(super) fn id(&self) -> Option<ObjectId> {
        match self.known {
            Known::Id(id) => Some(id),
            Known::Stat(_) => None,
        }
    }
}

/// What is known of a listed path before it is read.
#[derive(Clone, Debug)]
pub(super) enum Known {
    /// The file's stat, to hold against the index.
    Stat(gix::index::entry::Stat),
    /// The blob's id.
    Id(ObjectId),
}

/// The files below a folder.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// Sorted by path.
    pub files: Vec<ListedFile>,
    /// Pipes, sockets and devices, sorted. They are never opened, and git does not know them.
    pub odd: Vec<RepoPath>,
    /// Folders that could not be read, and why.
    pub unreadable: Vec<(RepoPath, IoDiagnosis)>,
}

impl Listing {
    /// Paths and kinds, sorted by path. A pipe or a device counts as the file that should stand there: a skill does not
    /// end because its document cannot be read.
    pub fn entries(&self) -> Vec<TreeEntry> {
        let mut entries: Vec<TreeEntry> = self.files.iter().map(|file| file.entry.clone()).collect();
        if !self.odd.is_empty() {
            entries.extend(self.odd.iter().map(|path| TreeEntry { path: path.clone(), mode: FileMode::File }));
            entries.sort();
        }
        entries
    }
}
