//! What runs in each repository, and what came of it.

use crate::app::Error;
use crate::cli::status::Status;
use serde_json::value::RawValue;
use std::path::PathBuf;

/// Which command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// `canonry sync`
    Sync,
    /// `canonry sync` that writes nothing
    Look,
    /// `canonry check`
    Check,
}

/// What came of one repository.
pub struct Row {
    /// Its top, or what was named.
    pub path: PathBuf,
    /// How the command ended in it.
    pub status: Status,
    /// Its document, as it was printed; `None` where it came to none.
    pub document: Option<Box<RawValue>>,
    /// Why it ended early.
    pub error: Option<Error>,
}
