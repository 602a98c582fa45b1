//! What an import looks at.

use crate::canon::{FileMode, FileState, Layout};
use crate::syntax::RepoPath;
use gix::hash::Kind;
use std::collections::BTreeMap;

/// What is asked of single files, of the origins and of the canon.
pub trait Look {
    /// What a file holds.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn read(&self, path: &RepoPath) -> Result<Vec<u8>, String>;
    /// Where a link leads; `None` where that is outside the repository.
    fn link(&self, path: &RepoPath) -> Option<RepoPath>;
    /// What is in the way of a file, where something is.
    fn blocked(&self, path: &RepoPath) -> Option<RepoPath>;
}

/// The repository, as far as an import sees it.
pub struct Ground<'a> {
    /// Where the canon is, or will be.
    pub layout: &'a Layout,
    /// The kind of object ids.
    pub hash: Kind,
    /// What stands in the places of the origins, links as links.
    pub files: &'a BTreeMap<RepoPath, FileState>,
    /// What stands in the canon.
    pub canon: &'a BTreeMap<RepoPath, FileState>,
    /// What is asked of single files.
    pub look: &'a dyn Look,
    /// Whether the team has a config.
    pub configured: bool,
}

impl Ground<'_> {
    /// Whether anything stands below a folder.
    pub(super) fn has_below(&self, folder: &str) -> bool {
        self.below(folder).next().is_some()
    }

    /// Whether a file stands at a path.
    pub(super) fn has(&self, path: &str) -> bool {
        self.files.contains_key(&RepoPath::from(path))
    }

    /// All below a folder, by path.
    pub(super) fn below(&self, folder: &str) -> impl Iterator<Item = (RepoPath, FileMode)> + use<'_> {
        let folder = RepoPath::from(folder);
        let inside = self.files.iter().filter(move |(path, _)| **path != folder && path.is_within(&folder));
        inside.map(|(path, state)| (path.clone(), state.mode))
    }

    /// The text of a file.
    pub(super) fn text(&self, path: &RepoPath) -> Result<String, String> {
        let bytes = self.look.read(path)?;
        String::from_utf8(bytes).map_err(|e| {
            let line = e.as_bytes()[..e.utf8_error().valid_up_to()].iter().filter(|b| **b == b'\n').count() + 1;
            format!("line {line}: it is not UTF-8")
        })
    }

    /// What a text would be in git.
    pub(super) fn state_of(&self, text: &str) -> Option<FileState> {
        let id = gix::objs::compute_hash(self.hash, gix::objs::Kind::Blob, text.as_bytes()).ok()?;
        Some(FileState { id, mode: FileMode::File })
    }
}
