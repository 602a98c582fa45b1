//! A file of the canon, as far as mirrors go.

use super::skipped::SkipReason;
use crate::canon::{FileMode, FileState};
use crate::syntax::RepoPath;
use gix::bstr::{BString, ByteSlice};

/// A file of a canonical skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanonFile {
    /// Where.
    pub path: RepoPath,
    /// What it holds.
    pub state: FileState,
    /// For a link: its text.
    pub link: Option<BString>,
}

/// Why a file cannot be mirrored.
pub(super) fn unfit(file: &CanonFile) -> Option<SkipReason> {
    if file.path.has_control_bytes() {
        return Some(SkipReason::ControlCharacters);
    }
    match (&file.link, file.state.mode) {
        (_, FileMode::Submodule) => Some(SkipReason::Submodule),
        (Some(target), _) if file.path.resolve_beside(target).is_none() => {
            Some(SkipReason::LinkOutside { target: target.to_str_lossy().into_owned() })
        }
        _ => None,
    }
}
