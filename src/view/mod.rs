//! Floor 6: where bytes come from: the work tree, the index or a commit.

mod alike;
mod base;
mod before;
mod checkout;
mod choice;
mod cursor;
mod disk;
mod folders;
mod hasher;
mod ignored;
mod in_canon;
mod kept;
mod links;
mod listing;
pub mod load;
pub mod locks;
pub mod log;
mod objects;
mod overlay;
mod overlays;
mod places;
pub mod registry;
mod scope;
mod shapes;
mod staged;
pub mod survey;
mod texts;
pub mod tools;
mod trees;
mod unmerged;
mod variants;
mod worktree;

pub use choice::IgnoreMode;
pub use listing::{ListedFile, Listing};
pub use texts::Texts;
pub use worktree::Probe;

use crate::canon::blob::BlobError;
use crate::canon::io_diagnosis::IoDiagnosis;
use crate::canon::{Blob, FileState};
use crate::syntax::RepoPath;
use gix::ObjectId;
use gix::bstr::BString;
use kept::Kept;
use listing::Known;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Which content is looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Basis {
    /// What lies on disk; what git ignores is not part of a canon.
    #[default]
    WorkTree,
    /// What is staged.
    Index,
    /// A commit, by anything that git's revision syntax names.
    Commit(String),
}

/// One look at a repository's content.
pub struct View {
    repo: gix::ThreadSafeRepository,
    /// The folder of the repository that is looked at, as if it were one; empty for the repository itself.
    base: RepoPath,
    /// Where that lies in the work tree, without links in its path; `None` in a bare repository.
    workdir: Option<PathBuf>,
    /// The index as it was when the view was opened, as far as it is of that folder; empty where there is none.
    index: gix::index::File,
    /// All of it, where that is more.
    whole_index: Option<gix::index::File>,
    basis: Resolved,
    /// The revision whose history is the content's: the one that is looked at, else what is checked out.
    revision: String,
    shared: trees::Shared,
    /// Content that is read in the place of what is there.
    overlay: BTreeMap<RepoPath, Vec<u8>>,
    /// Content that several readers ask for.
    kept: Kept,
    /// Whether what git ignores is left out where that is asked for.
    heeds_ignore_rules: bool,
}

enum Resolved {
    WorkTree,
    Index,
    Commit(ObjectId),
}

/// Why a view cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// No such revision.
    #[error("the revision `{rev}` cannot be read: {reason}")]
    Revision {
        /// As given.
        rev: String,
        /// What git's rules say.
        reason: String,
    },
    /// A bare repository has no work tree.
    #[error("this is a bare repository, without a work tree; name a commit with `--rev`")]
    Bare,
    /// The repository's own files cannot be read.
    #[error("git's {what} cannot be read: {reason}")]
    Git {
        /// Which part.
        what: &'static str,
        /// Why.
        reason: String,
    },
}

impl ViewError {
    pub(crate) fn git(what: &'static str) -> impl Fn(gix::Error) -> Self {
        move |e| Self::Git { what, reason: e.to_string() }
    }
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// A file or a link.
    File,
    /// A folder.
    Folder,
    /// Nothing.
    Nothing,
}

impl View {
    /// Opens a view.
    ///
    /// # Errors
    /// See [`ViewError`].
    pub fn open(repo: &gix::Repository, basis: &Basis) -> Result<Self, ViewError> {
        Self::open_at(repo, basis, &RepoPath::default())
    }

    /// Opens a view of a folder, as if it were the repository: all paths are relative to it.
    ///
    /// # Errors
    /// See [`ViewError`].
    pub fn open_at(repo: &gix::Repository, basis: &Basis, base: &RepoPath) -> Result<Self, ViewError> {
        let workdir = match repo.workdir() {
            Some(dir) => {
                let reason = |e: std::io::Error| ViewError::Git { what: "work tree", reason: e.to_string() };
                let top = std::fs::canonicalize(dir).map_err(reason)?;
                Some(if base.is_empty() {
                    top
                } else {
                    top.join(base::on_disk(base).map_err(ViewError::git("paths"))?)
                })
            }
            None => None,
        };
        let revision = if let Basis::Commit(rev) = basis { rev.clone() } else { "HEAD".to_owned() };
        let basis = match basis {
            Basis::Commit(rev) => Resolved::Commit(tree_at(repo, rev, base)?),
            _ if workdir.is_none() => return Err(ViewError::Bare),
            Basis::WorkTree => Resolved::WorkTree,
            Basis::Index => Resolved::Index,
        };
        let index = open_index(repo)?;
        let (index, whole_index) = match base.is_empty() {
            true => (index, None),
            false => (base::index(&index, base), Some(index)),
        };
        Ok(Self {
            repo: repo.clone().into_sync(),
            base: base.clone(),
            workdir,
            index,
            whole_index,
            basis,
            revision,
            shared: trees::Shared::default(),
            overlay: BTreeMap::new(),
            kept: Kept::default(),
            heeds_ignore_rules: true,
        })
    }

    /// The same view, in which git ignores nothing.
    #[must_use]
    pub fn include_ignored(self) -> Self {
        Self { heeds_ignore_rules: false, ..self }
    }

    /// Whether it looks at the work tree.
    pub fn is_work_tree(&self) -> bool {
        matches!(self.basis, Resolved::WorkTree)
    }

    /// The revision whose history is the content's.
    pub fn revision(&self) -> &str {
        &self.revision
    }

    /// The kind of object ids.
    pub fn object_hash(&self) -> gix::hash::Kind {
        self.index.object_hash()
    }

    /// The files below a folder, or the file itself. A folder that does not exist has none.
    ///
    /// # Errors
    /// [`ViewError::Git`] where git's own files cannot be read.
    pub fn list(&self, folder: &RepoPath, ignored: IgnoreMode) -> Result<Listing, ViewError> {
        match &self.basis {
            Resolved::WorkTree => self.list_disk(folder, ignored),
            Resolved::Index => self.list_index(folder),
            Resolved::Commit(tree) => self.list_tree(*tree, folder),
        }
    }

    /// All files below a mirror's root but those in `known` folders, which lie directly in it.
    ///
    /// # Errors
    /// [`ViewError::Git`] where git's own files cannot be read.
    fn list_but(&self, root: &RepoPath, known: &BTreeSet<RepoPath>) -> Result<Vec<ListedFile>, ViewError> {
        let tree = match &self.basis {
            Resolved::Commit(tree) if !known.is_empty() => *tree,
            Resolved::Index if !known.is_empty() => return self.list_index_but(root, known),
            _ => return Ok(self.list(root, IgnoreMode::Include)?.files),
        };
        let mut listed = Vec::new();
        for entry in self.direct_entries(tree, root) {
            if !known.contains(&entry) {
                listed.extend(self.list_tree(tree, &entry)?.files);
            }
        }
        Ok(listed)
    }

    /// The content at a path, links followed inside the repository; not read beyond `limit` bytes.
    pub fn read(&self, path: &RepoPath, limit: u64) -> Blob {
        if let Some(bytes) = self.overlay.get(path) {
            return Blob::Bytes(bytes.clone());
        }
        let read = match &self.basis {
            Resolved::WorkTree => self.read_disk(path, limit),
            Resolved::Index | Resolved::Commit(_) => self.read_objects(path, limit),
        };
        match read {
            Ok(bytes) => Blob::Bytes(bytes),
            Err(missing) => Blob::Missing(missing),
        }
    }

    /// The text of the link at a path; `None` where it is none.
    pub fn link_text(&self, path: &RepoPath) -> Option<BString> {
        match &self.basis {
            Resolved::WorkTree => {
                let target = std::fs::read_link(self.on_disk(path)?).ok()?;
                gix::path::into_bstr(target).ok().map(|text| text.into_owned())
            }
            Resolved::Index | Resolved::Commit(_) => self.link_object(path),
        }
    }

    /// What is at each listed path; `None` where it could not be read. Runs on all cores.
    pub fn states(&self, files: &[ListedFile]) -> Vec<Option<FileState>> {
        self.states_of(files)
    }

    /// What stands at a path; the last component is not followed where it is a link.
    pub fn kind(&self, path: &RepoPath) -> PathKind {
        match &self.basis {
            Resolved::WorkTree => self.kind_on_disk(path),
            Resolved::Index | Resolved::Commit(_) => self.kind_of_object(path),
        }
    }
}

/// The tree of a commit, a tag of one, or a tree.
fn commit_tree(repo: &gix::Repository, rev: &str) -> Result<ObjectId, ViewError> {
    let error = |reason: String| ViewError::Revision { rev: rev.to_owned(), reason };
    let id = repo.rev_parse_single(rev).map_err(|e| error(e.to_string()))?;
    let tree = id.object().map_err(|e| error(e.to_string()))?.peel_to_tree().map_err(|e| error(e.to_string()))?;
    Ok(tree.id)
}

/// The tree of a folder of it.
fn tree_at(repo: &gix::Repository, rev: &str, base: &RepoPath) -> Result<ObjectId, ViewError> {
    base::tree(repo, commit_tree(repo, rev)?, base).map_err(ViewError::git("objects"))
}

/// The checksum over the index is not verified: git does not either, and it costs more than all else that is read.
fn open_index(repo: &gix::Repository) -> Result<gix::index::File, ViewError> {
    gix::index::File::at_or_default(repo.index_path(), repo.object_hash(), true, Default::default())
        .map_err(ViewError::git("index"))
}

pub(crate) fn refused(reason: impl ToString) -> BlobError {
    BlobError::Refused { reason: IoDiagnosis::from_message(reason) }
}
