//! Why a dream stays as it is.

use crate::apply::ApplyError;
use crate::syntax::RepoPath;

/// Why a dream was not taken back. Nothing was written then.
#[derive(Debug, thiserror::Error)]
pub enum BackError {
    /// What the dream wrote there is not there any more as it wrote it.
    #[error("{path}: this has changed since in what the dream wrote")]
    Changed {
        /// The file.
        path: RepoPath,
    },
    /// What the dream wrote to is gone.
    #[error("{path}: this is gone, with what the dream wrote to it")]
    Gone {
        /// The file.
        path: RepoPath,
    },
    /// The file system refused.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}
