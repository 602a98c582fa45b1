//! The request of a sync.

pub use canonry_mirror::adopt::PreferredSide;
use canonry_model::edit::OverwriteMode;
use std::path::PathBuf;

/// A sync of the repository around the current folder, or of the user's own canon.
#[derive(Clone, Debug)]
pub struct SyncRequest {
    /// Whether to write.
    pub mode: SyncMode,
    /// Mirror the staged canon and stage the mirrors, instead of working on the work tree.
    pub staged: bool,
    /// Sync the user's own canon instead of the repository's.
    pub user: bool,
    /// Files to take into the canon first. A preview shows only this adoption.
    pub adopt: Option<AdoptRequest>,
    /// Whether to overwrite files that canonry does not own or that were edited.
    pub overwrite: OverwriteMode,
    /// Commit the canon, its mirrors and the lock afterwards. Requires [`SyncMode::Write`].
    pub commit: Option<SyncCommitRequest>,
    /// The differences to put into the outcome.
    pub diffs: DiffSelection,
}

impl SyncRequest {
    /// Request for a preview of a sync of the repository.
    pub fn preview() -> Self {
        Self {
            mode: SyncMode::Preview,
            staged: false,
            user: false,
            adopt: None,
            overwrite: OverwriteMode::default(),
            commit: None,
            diffs: DiffSelection::None,
        }
    }
}

/// Whether a sync writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncMode {
    /// Write the mirrors and the lock.
    Write,
    /// Write nothing; report what a sync would do.
    Preview,
}

/// Files of a mirror that are taken into the canon.
#[derive(Clone, Debug, Default)]
pub struct AdoptRequest {
    /// Files or folders of a mirror, relative to the current folder.
    pub paths: Vec<PathBuf>,
    /// Record every mirrored file that equals the canon as owned, for example after the lock was lost.
    pub claim_equal: bool,
    /// The side that wins if canon and mirror changed the same lines; `None` refuses such files.
    pub prefer: Option<PreferredSide>,
}

/// A commit after a sync.
#[derive(Clone, Debug, Default)]
pub struct SyncCommitRequest {
    /// The message; `None` for the default.
    pub message: Option<String>,
}

/// Which differences an outcome contains. Reading them costs time, so that none are read by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiffSelection {
    /// None.
    #[default]
    None,
    /// The edits of a preview, and the refused differences of a run that writes.
    Default,
    /// Like `Default`, and also the refused differences of a preview.
    All,
}
