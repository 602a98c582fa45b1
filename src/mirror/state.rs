//! What the mirrors hold now.

use crate::canon::FileState;
use crate::config::Target;
use crate::syntax::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// What stands where a target's skills are mirrored to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MirrorRoot {
    /// A folder, or nothing yet.
    Folder,
    /// A link to a folder inside the repository.
    LinkInside(RepoPath),
    /// A link, at the root or above it, that leaves the repository.
    LinkOutside(String),
    /// Something that is no folder.
    NotAFolder(RepoPath),
}

/// Everything below the mirror roots of all targets in question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MirrorState {
    /// Files and links, sorted by path.
    pub files: Vec<(RepoPath, FileState)>,
    /// Where links inside the repository lead, by the link's path; links that leave it are not here.
    pub links: BTreeMap<RepoPath, RepoPath>,
    /// Files in which git has left the conflict of two states that are both ours.
    pub unmerged: BTreeSet<RepoPath>,
    /// What stands at each target's root.
    pub roots: BTreeMap<Target, MirrorRoot>,
}

impl MirrorState {
    /// What stands at a path.
    pub fn state(&self, path: &RepoPath) -> Option<FileState> {
        let at = self.files.binary_search_by(|(p, _)| p.cmp(path)).ok()?;
        self.files.get(at).map(|(_, state)| *state)
    }

    /// What stands below a folder, sorted by path.
    pub fn below(&self, folder: &RepoPath) -> impl Iterator<Item = &RepoPath> {
        below(&self.files, folder).iter().map(|(path, _)| path)
    }

    /// Takes what stands at a path for something else.
    pub fn set(&mut self, path: &RepoPath, state: FileState) {
        if let Ok(at) = self.files.binary_search_by(|(p, _)| p.cmp(path)) {
            self.files[at].1 = state;
        }
    }

    /// What stands at a target's root.
    pub fn root(&self, target: Target) -> &MirrorRoot {
        self.roots.get(&target).unwrap_or(&MirrorRoot::Folder)
    }
}

/// Those of some paths, sorted, that lie below a folder; the folder's own is none of them.
pub(super) fn below<'a>(sorted: &'a [(RepoPath, FileState)], folder: &RepoPath) -> &'a [(RepoPath, FileState)] {
    let mut prefix = folder.as_bstr().to_vec();
    prefix.push(b'/');
    let start = sorted.partition_point(|(path, _)| path.as_bstr() < prefix.as_slice());
    let length = sorted[start..].partition_point(|(path, _)| path.as_bstr().starts_with(&prefix));
    &sorted[start..start + length]
}
