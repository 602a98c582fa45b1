//! Roots of mirrors that are no folders.

use super::desired::{DesiredFile, DesiredMirrors};
use super::refusal::{Refusal, RefusalReason};
use super::state::{MirrorRoot, MirrorState};
use crate::config::Target;
use crate::syntax::RepoPath;

/// The wants whose target is a real folder, in path order, and one refusal for each target that is not.
pub(super) fn reachable<'a>(desired: &'a DesiredMirrors, actual: &MirrorState) -> (Vec<&'a DesiredFile>, Vec<Refusal>) {
    let mut refused = Vec::new();
    let mut skipped: Vec<RepoPath> = Vec::new();
    for (target, root) in &actual.roots {
        let path = target.skills_root();
        let first = desired.files.iter().find(|w| w.path.is_within(&path));
        let reason = match root {
            MirrorRoot::Folder => continue,
            MirrorRoot::LinkInside(to) if leads_to_skills(&path, to, desired, actual) => None,
            MirrorRoot::LinkInside(to) => Some(RefusalReason::RootIsLink { to: to.to_display() }),
            MirrorRoot::LinkOutside(to) => Some(RefusalReason::RootIsLink { to: to.clone() }),
            MirrorRoot::NotAFolder(by) => Some(RefusalReason::RootIsFile { by: by.clone() }),
        };
        if let (Some(reason), Some(_)) = (reason, first) {
            refused.push(Refusal { path: path.clone(), reason, desired: None, current: None });
        }
        skipped.push(path);
    }
    let open = |want: &&DesiredFile| !skipped.iter().any(|root| want.path.is_within(root));
    (desired.files.iter().filter(open).collect(), refused)
}

/// A root that leads to the canon's own skills, or to another target's mirror, needs nothing written, where neither of
/// the two is to hold something of its own.
fn leads_to_skills(root: &RepoPath, to: &RepoPath, desired: &DesiredMirrors, actual: &MirrorState) -> bool {
    if desired.overridden.keys().any(|folder| folder.is_within(root) || folder.is_within(to)) {
        return false;
    }
    let is_skill = |want: &DesiredFile| want.path.below(root).is_some_and(|below| to.join(below) == want.canon);
    desired.files.iter().any(is_skill) || leads_to_mirror(to, desired, actual)
}

/// Whether links lead, one after the other, to a real folder that this run mirrors into.
fn leads_to_mirror(to: &RepoPath, desired: &DesiredMirrors, actual: &MirrorState) -> bool {
    let mut to = to;
    for _ in Target::ALL {
        let Some(target) = Target::ALL.iter().find(|target| target.skills_root() == *to) else { return false };
        match actual.root(*target) {
            MirrorRoot::Folder => return desired.targets.contains(target),
            MirrorRoot::LinkInside(next) => to = next,
            MirrorRoot::LinkOutside(_) | MirrorRoot::NotAFolder(_) => return false,
        }
    }
    false
}
