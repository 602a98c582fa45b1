//! Paths in mirrors that a sync does not write, and the reasons.

use super::desired::DesiredFile;
use canonry_model::canon::FileState;
use canonry_text::RepoPath;

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
    /// The file is neither what the canon nor what the lock says, and nothing proves that a person edited it.
    #[error(
        "differs from canon and lock. If you restored or pulled `agent/`, this is an older sync; if you edited it: `--adopt`"
    )]
    Differs,
    #[error(
        "differs from the lock, and its canonical file no longer exists. If you restored or pulled `agent/`, this is an older \
         sync; if you edited it: `--adopt`"
    )]
    DiffersOrphan,
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
    #[error("the file {by} stands where a folder is needed; move it away")]
    BlockedByFile { by: RepoPath },
    #[error("a folder stands where a file is needed, and {by} is in it; move it away")]
    BlockedByFolder { by: RepoPath },
    #[error("{by} is a pipe, a socket or a device, and stands where a file is needed; move it away")]
    BlockedBySpecialFile { by: RepoPath },
    #[error("{by} is a submodule or another repository, and nothing in it is touched; move it away")]
    BlockedByRepository { by: RepoPath },
    /// The file should be removed, but it exists only in the index.
    #[error(
        "no longer in the canon, but outside your sparse checkout: run `git sparse-checkout add {folder}`, then sync again"
    )]
    OutsideCheckout { folder: RepoPath },
    #[error("the mirror is a link to `{to}`; sync writes only into real folders of this repository")]
    RootIsLink { to: String },
    /// The mirror's root, or a folder above it, is a file.
    #[error("{by} is not a folder")]
    RootIsFile { by: RepoPath },
    #[error("it is in the submodule or repository `{by}`; sync writes only into this one")]
    RootIsSubmodule { by: RepoPath },
}

impl RefusalReason {
    /// The reason for a file that exists only in the index. A cone of a sparse checkout has folders: that of the skill, or
    /// the file's own.
    pub fn outside_checkout(path: &RepoPath) -> Self {
        let depth = path.components().count().saturating_sub(1).clamp(1, 3);
        let folder = path.components().take(depth).fold(RepoPath::default(), |folder, part| folder.join(part));
        Self::OutsideCheckout { folder }
    }

    /// Checks whether `--adopt` can take the file into the canon.
    pub fn can_be_adopted(&self) -> bool {
        match self {
            Self::Edited
            | Self::EditedOrphan
            | Self::Differs
            | Self::DiffersOrphan
            | Self::Occupied { .. }
            | Self::FolderOccupied { .. }
            | Self::CopyNotReplaceable { .. } => true,
            Self::PartEdited(_)
            | Self::PartOccupied(_)
            | Self::BlockedByFile { .. }
            | Self::BlockedByFolder { .. }
            | Self::BlockedBySpecialFile { .. }
            | Self::BlockedByRepository { .. }
            | Self::OutsideCheckout { .. }
            | Self::RootIsLink { .. }
            | Self::RootIsFile { .. }
            | Self::RootIsSubmodule { .. } => false,
        }
    }

    /// Checks whether the content of a mirrored file is neither the canon's nor what sync wrote.
    pub fn is_edit(&self) -> bool {
        matches!(self, Self::Edited | Self::EditedOrphan | Self::Differs | Self::DiffersOrphan)
    }
}
