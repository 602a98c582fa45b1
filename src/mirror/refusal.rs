//! Why a path of a mirror is left as it is.

use super::desired::DesiredFile;
use crate::canon::FileState;
use crate::syntax::RepoPath;

/// A path that is left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Where in the mirror.
    pub path: RepoPath,
    /// Why.
    pub reason: RefusalReason,
    /// What is wanted there; `None` where nothing is.
    pub desired: Option<DesiredFile>,
    /// What stands there.
    pub current: Option<FileState>,
}

/// Why a path is left as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefusalReason {
    /// Ours, and since changed by someone.
    #[error("edited by hand since the last sync")]
    Edited,
    /// Ours, changed by someone, and no longer in the canon.
    #[error("edited by hand, and its file in the canon is gone")]
    EditedOrphan,
    /// Someone's own file stands where ours would.
    #[error("a file that sync did not write stands where {canon} is mirrored")]
    Occupied {
        /// The file of the canon.
        canon: RepoPath,
    },
    /// Not written because another file of the same skill's folder is someone's own.
    #[error("not written: {other} in the same folder was not written by sync")]
    FolderOccupied {
        /// That other file.
        other: RepoPath,
    },
    /// A link is wanted in the place of a copy in which something is not ours, or was changed by someone.
    #[error("it stays a copy, and no link is made: {by} is not as sync left it")]
    CopyNotReplaceable {
        /// The first such file.
        by: RepoPath,
    },
    /// A part of a file that people write too is ours, and was since changed by someone.
    #[error("{0}")]
    PartEdited(String),
    /// A part of a file that people write too is someone's own, or the file cannot hold ours.
    #[error("{0}")]
    PartOccupied(String),
    /// A file or link stands where a folder is needed, or files stand where a file is needed.
    #[error("{by} is in the way")]
    Blocked {
        /// What is in the way.
        by: RepoPath,
    },
    /// The mirror's root is a link to elsewhere.
    #[error("the mirror is a link to `{to}`; sync writes only into real folders of this repository")]
    RootIsLink {
        /// Where it leads.
        to: String,
    },
    /// The mirror's root, or a folder above it, is a file.
    #[error("{by} is not a folder")]
    RootIsFile {
        /// The file.
        by: RepoPath,
    },
}
