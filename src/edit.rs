//! Floor 2: what deciding gives: changes to files.

use crate::canon::FileState;
use crate::syntax::RepoPath;
use gix::bstr::BString;

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Makes `path` hold `content`.
    Write {
        /// Where.
        path: RepoPath,
        /// What it shall hold.
        content: EditContent,
        /// What stands there; `None` for nothing. A run that finds something else there does not write.
        was: Option<FileState>,
        /// What will stand there.
        now: FileState,
    },
    /// Removes `path`.
    Remove {
        /// Where.
        path: RepoPath,
        /// What stands there. A run that finds something else there does not remove.
        was: FileState,
    },
    /// Gives `path` another name in its folder.
    Rename {
        /// What it is called.
        path: RepoPath,
        /// What it will be called. What stands there by then is not written over; another spelling of the same name, on a
        /// file system that ignores case, is no such thing.
        to: RepoPath,
        /// What it holds. A run that finds something else there does not rename.
        was: FileState,
    },
}

/// Where bytes come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditContent {
    /// Another file of the repository, byte for byte.
    CopyOf(RepoPath),
    /// A symbolic link with this text.
    Link(BString),
    /// These bytes.
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
    /// The path it changes; of a file that gets another name the one that it has.
    pub fn path(&self) -> &RepoPath {
        match self {
            Self::Write { path, .. } | Self::Remove { path, .. } | Self::Rename { path, .. } => path,
        }
    }

    /// What stands there before.
    pub fn was(&self) -> Option<FileState> {
        match self {
            Self::Write { was, .. } => *was,
            Self::Remove { was, .. } | Self::Rename { was, .. } => Some(*was),
        }
    }

    /// What stands there after.
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
