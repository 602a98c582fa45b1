//! Edits: changes to files that have been decided but not yet written.

use crate::canon::tree::blob_id;
use crate::canon::{FileMode, FileState};
use bstr::BString;
use canonry_text::RepoPath;
use gix_hash::Kind;

/// A change to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Writes `content` to `path`.
    Write {
        path: RepoPath,
        content: EditContent,
        /// The current state; `None` if the file does not exist. The edit is skipped if the actual state differs.
        was: Option<FileState>,
        /// The state after the edit.
        now: FileState,
    },
    /// Deletes `path`.
    Remove {
        path: RepoPath,
        /// The current state. The edit is skipped if the actual state differs.
        was: FileState,
    },
    /// Renames `path` within its folder.
    Rename {
        path: RepoPath,
        /// The new path. An existing file is not overwritten, except another spelling of the same name on a
        /// case-insensitive file system.
        to: RepoPath,
        /// The current state. The edit is skipped if the actual state differs.
        was: FileState,
    },
}

/// The content of a new file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditContent {
    /// The bytes of another file in the repository.
    CopyOf(RepoPath),
    /// A symbolic link with this target.
    Link(BString),
    Bytes(Vec<u8>),
}

/// Whether an edit may replace content that canonry did not write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OverwriteMode {
    /// Replace only what canonry owns and nobody changed.
    #[default]
    OwnedOnly,
    /// Replace anything; the caller backs up the previous content first.
    Force,
}

impl Edit {
    /// Writes `bytes` to `path`.
    pub fn write(path: RepoPath, bytes: Vec<u8>, was: Option<FileState>, mode: FileMode, hash: Kind) -> Self {
        let now = FileState { id: blob_id(&bytes, hash), mode };
        Self::Write { path, content: EditContent::Bytes(bytes), was, now }
    }

    /// The path that the edit changes; the old path of a rename.
    pub fn path(&self) -> &RepoPath {
        match self {
            Self::Write { path, .. } | Self::Remove { path, .. } | Self::Rename { path, .. } => path,
        }
    }

    /// The state before the edit.
    pub fn was(&self) -> Option<FileState> {
        match self {
            Self::Write { was, .. } => *was,
            Self::Remove { was, .. } | Self::Rename { was, .. } => Some(*was),
        }
    }

    /// The state after the edit.
    pub fn now(&self) -> Option<FileState> {
        match self {
            Self::Write { now, .. } => Some(*now),
            Self::Remove { .. } | Self::Rename { .. } => None,
        }
    }

    /// Whether only the mode changes.
    pub fn is_mode_only(&self) -> bool {
        match self {
            Self::Write { was: Some(was), now, .. } => was.id == now.id && was.mode.is_file() && now.mode.is_file(),
            _ => false,
        }
    }
}
