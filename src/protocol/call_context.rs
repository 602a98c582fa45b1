//! Where a call is made.

use super::matching::path::PathRoots;

/// Where a call is made.
#[derive(Clone, Debug, Default)]
pub struct CallContext {
    /// The folders that paths are told from.
    pub roots: PathRoots,
    /// The folder, in full.
    pub cwd: String,
    /// The branch that is checked out, where that is known.
    pub branch: Option<String>,
}
