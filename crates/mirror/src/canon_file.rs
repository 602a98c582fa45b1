//! A file of a canonical skill: whether it can be mirrored, and which names are equal to its name.

use super::skipped::SkipReason;
use bstr::{BStr, BString, ByteSlice};
use canonry_model::canon::{FileMode, FileState};
use canonry_text::RepoPath;
use gix_validate::path::component;
use unicode_normalization::UnicodeNormalization;

/// A file of a canonical skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanonFile {
    pub path: RepoPath,
    pub state: FileState,
    /// The text of a symbolic link.
    pub link: Option<BString>,
}

/// Folds a name (NFKC, then lower case): names with the same folded form are one folder on some file systems.
pub fn fold_name(name: &[u8]) -> String {
    if name.is_ascii() {
        return name.to_str_lossy().to_ascii_lowercase();
    }
    name.to_str_lossy().nfkc().collect::<String>().to_lowercase()
}

/// Whether a name can be in a tree of git with its default settings: it is not `.git` on any common file system.
fn is_accepted_by_git(name: &BStr) -> bool {
    let options = component::Options {
        protect_windows: cfg!(windows),
        protect_hfs: cfg!(target_os = "macos"),
        protect_ntfs: true,
    };
    component(name, None, options).is_ok()
}

/// Returns why a file cannot be mirrored.
pub(super) fn unfit(file: &CanonFile) -> Option<SkipReason> {
    if file.path.has_control_bytes() {
        return Some(SkipReason::ControlCharacters);
    }
    if !file.path.components().all(is_accepted_by_git) {
        return Some(SkipReason::InvalidName);
    }
    match (&file.link, file.state.mode) {
        (_, FileMode::Submodule) => Some(SkipReason::Submodule),
        (Some(target), _) if file.path.resolve_beside(target).is_none() => {
            Some(SkipReason::LinkOutside { target: target.to_str_lossy().into_owned() })
        }
        _ => None,
    }
}
