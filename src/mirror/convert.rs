//! From copies to links and back: what is ours gives way, and where something stays, all of it does.

use super::compare::ExtraFile;
use super::desired::DesiredMirrors;
use crate::syntax::RepoPath;
use std::collections::BTreeMap;

/// Folders that are to become links, and hold something that does not give way: the first such file of each. Half of a
/// skill is of no use, so nothing of them is removed.
pub(super) fn held(
    leftovers: &[ExtraFile<'_>],
    desired: &DesiredMirrors,
    gives_way: impl Fn(&ExtraFile<'_>) -> bool,
) -> BTreeMap<RepoPath, RepoPath> {
    let mut held = BTreeMap::new();
    if desired.links.is_empty() {
        return held;
    }
    for leftover in leftovers.iter().filter(|leftover| !gives_way(leftover)) {
        if let Some(folder) = link_above(leftover.path, desired) {
            held.entry(folder).or_insert_with(|| leftover.path.clone());
        }
    }
    held
}

/// The folder above a path that is to become a link.
pub(super) fn link_above(path: &RepoPath, desired: &DesiredMirrors) -> Option<RepoPath> {
    std::iter::successors(path.parent(), RepoPath::parent).find(|folder| desired.links.contains(folder))
}

/// Whether copies are wanted in a link's place.
pub(super) fn becomes_copies(path: &RepoPath, desired: &DesiredMirrors) -> bool {
    desired.files.iter().any(|want| want.folder == *path && want.path != *path)
}

/// Whether a path lies in the mirror of a skill that is left out as a whole.
pub(super) fn is_frozen(path: &RepoPath, desired: &DesiredMirrors) -> bool {
    let mut above = std::iter::successors(Some(path.clone()), RepoPath::parent);
    !desired.frozen.is_empty() && above.any(|folder| desired.frozen.binary_search(&folder).is_ok())
}
