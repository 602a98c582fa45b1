//! Paths in mirrors that a sync does not write, and the reasons.

use super::desired::DesiredFile;
use crate::canon::FileState;
use crate::syntax::RepoPath;

/// A path that sync leaves unchanged although it differs from the desired state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub path: RepoPath,
    pub reason: RefusalReason,
    /// The desired content; `None` if the file should be removed.
    pub desired: Option<DesiredFile>,
    /// The current content.
    pub current: Option<FileState>,
}

/// Why sync leaves a path unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefusalReason {
    #[error("edited by hand since the last sync")]
    Edited,
    #[error("edited by hand, and its canonical file no longer exists")]
    EditedOrphan,
    #[error("sync did not write the file at the mirror path of {canon}")]
    Occupied { canon: RepoPath },
    /// Another file in the folder of the same skill is a user file.
    #[error("not written: sync did not write {other} in the same folder")]
    FolderOccupied { other: RepoPath },
    /// A copy should become a link, but it contains a user file or an edited file.
    #[error("the copy is not replaced by a link: {by} changed since the last sync")]
    CopyNotReplaceable { by: RepoPath },
    /// The managed part of a tool file was edited.
    #[error("{0}")]
    PartEdited(String),
    /// The managed part of a tool file would replace user content, or the file cannot hold it.
    #[error("{0}")]
    PartOccupied(String),
    /// A file is where a folder is needed, or the other way round.
    #[error("{by} is in the way")]
    Blocked { by: RepoPath },
    #[error("the mirror is a link to `{to}`; sync writes only into real folders of this repository")]
    RootIsLink { to: String },
    /// The mirror's root, or a folder above it, is a file.
    #[error("{by} is not a folder")]
    RootIsFile { by: RepoPath },
}
