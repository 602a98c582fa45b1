//! The current content of the mirrors, and its comparison with the desired content and the lock.

use super::desired::DesiredFile;
use super::lock::{Lock, below};
use canonry_model::canon::{FileMode, FileState};
use canonry_model::config::Target;
use canonry_text::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// Content of the root of a target's mirror.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MirrorRoot {
    /// A folder, or nothing yet.
    Folder,
    /// A link to a folder in the repository.
    LinkInside(RepoPath),
    /// A link out of the repository, at the root or above it.
    LinkOutside(String),
    /// A file at the root or above it.
    NotAFolder(RepoPath),
    /// A submodule or another repository at the root or above it.
    Submodule(RepoPath),
}

/// The content of the mirrors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MirrorState {
    /// Files and links, sorted by path.
    pub files: Vec<(RepoPath, FileState)>,
    /// The destinations of links that stay in the repository, by the path of the link.
    pub links: BTreeMap<RepoPath, RepoPath>,
    /// Paths that are neither files, folders nor links.
    pub special: BTreeSet<RepoPath>,
    /// Files with a git merge conflict between two states that are both owned.
    pub unmerged: BTreeSet<RepoPath>,
    pub roots: BTreeMap<Target, MirrorRoot>,
    /// Files that exist only in the index, because the sparse checkout leaves them out.
    pub outside_checkout: BTreeSet<RepoPath>,
    /// Files that differ from canon and lock, but nothing proves that a person edited them.
    pub unproved: BTreeSet<RepoPath>,
}

impl MirrorState {
    /// Returns the state of the file at a path.
    pub fn state(&self, path: &RepoPath) -> Option<FileState> {
        let at = self.files.binary_search_by(|(p, _)| p.cmp(path)).ok()?;
        self.files.get(at).map(|(_, state)| *state)
    }

    /// Lists the files below a folder, sorted by path.
    pub fn below(&self, folder: &RepoPath) -> impl Iterator<Item = &RepoPath> {
        below(&self.files, folder).iter().map(|(path, _)| path)
    }

    /// Replaces the state of a known file.
    pub fn set(&mut self, path: &RepoPath, state: FileState) {
        if let Ok(at) = self.files.binary_search_by(|(p, _)| p.cmp(path)) {
            self.files[at].1 = state;
        }
    }

    pub fn root(&self, target: Target) -> &MirrorRoot {
        self.roots.get(&target).unwrap_or(&MirrorRoot::Folder)
    }

    /// Returns the target whose mirror contains a path.
    pub fn target_of(&self, path: &RepoPath) -> Option<Target> {
        self.roots.keys().copied().find(|target| target.contains(path)).or_else(|| Target::holding(path))
    }
}

/// The lock entries of one path.
pub type Owned = [(RepoPath, FileState)];

/// A desired file with its current state and its lock entries.
pub struct ComparedFile<'a> {
    pub desired: &'a DesiredFile,
    pub current: Option<FileState>,
    pub owned: &'a Owned,
}

/// A file in a mirror that is not desired.
pub struct ExtraFile<'a> {
    pub path: &'a RepoPath,
    pub current: FileState,
    pub owned: &'a Owned,
}

/// Checks whether sync wrote a state. An added executable bit is an edit; a lost one is not, because archives and copies lose it.
pub fn is_owned(owned: &Owned, state: FileState) -> bool {
    let lost_bit = |own: FileState| own.mode == FileMode::Executable && state.mode == FileMode::File;
    owned.iter().any(|(_, own)| own.id == state.id && (own.mode == state.mode || lost_bit(*own)))
}

/// Compares the desired files with the current files and the lock. All three are sorted, so the cost is linear.
pub fn compare<'a>(
    desired: &[&'a DesiredFile],
    state: &'a MirrorState,
    lock: &'a Lock,
) -> (Vec<ComparedFile<'a>>, Vec<ExtraFile<'a>>) {
    let mut files = state.files.as_slice();
    let mut entries = lock.entries();
    let mut compared = Vec::with_capacity(desired.len());
    let mut extra = Vec::new();
    for desired in desired {
        let mut here = None;
        while let Some(((path, state), rest)) = files.split_first().filter(|((path, _), _)| *path <= desired.path) {
            files = rest;
            let owned = take_entries(&mut entries, path);
            if *path == desired.path {
                here = Some((*state, owned));
            } else {
                extra.push(ExtraFile { path, current: *state, owned })
            }
        }
        let (current, owned) = match here {
            Some((state, owned)) => (Some(state), owned),
            None => (None, take_entries(&mut entries, &desired.path)),
        };
        compared.push(ComparedFile { desired, current, owned });
    }
    let rest = files.iter().map(|(path, state)| (path, *state, take_entries(&mut entries, path)));
    extra.extend(rest.map(|(path, current, owned)| ExtraFile { path, current, owned }));
    (compared, extra)
}

/// Takes the entries of `path`, and drops everything before them.
fn take_entries<'a>(entries: &mut &'a Owned, path: &RepoPath) -> &'a Owned {
    let skip = entries.iter().take_while(|(p, _)| p < path).count();
    let same = entries[skip..].iter().take_while(|(p, _)| p == path).count();
    let (taken, rest) = entries[skip..].split_at(same);
    *entries = rest;
    taken
}
