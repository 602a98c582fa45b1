//! A file of the canon, as far as mirrors go.

use super::why::Why;
use crate::canon::{FileState, Mode};
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
pub(super) fn unfit(file: &CanonFile) -> Option<Why> {
    if file.path.has_control_bytes() {
        return Some(Why::ControlCharacters);
    }
    match (&file.link, file.state.mode) {
        (_, Mode::Submodule) => Some(Why::Submodule),
        (Some(target), _) if file.path.resolve_beside(target).is_none() => {
            Some(Why::LinkOutside { target: target.to_str_lossy().into_owned() })
        }
        _ => None,
    }
}
