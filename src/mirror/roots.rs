//! Roots of mirrors that are no folders.

use super::actual::{Actual, Root};
use super::desired::{Desired, Want};
use super::reason::{Reason, Refusal};
use crate::config::Target;
use crate::syntax::RepoPath;

/// The wants whose target is a real folder, in path order, and one refusal for each target that is not.
pub(super) fn reachable<'a>(desired: &'a Desired, actual: &Actual) -> (Vec<&'a Want>, Vec<Refusal>) {
    let mut refused = Vec::new();
    let mut skipped: Vec<RepoPath> = Vec::new();
    for (target, root) in &actual.roots {
        let path = target.skills_root();
        let first = desired.wants.iter().find(|w| w.path.is_within(&path));
        let reason = match root {
            Root::Folder => continue,
            Root::LinkInside(to) if leads_to_skills(&path, to, desired, actual) => None,
            Root::LinkInside(to) => Some(Reason::RootIsLink { to: to.to_display() }),
            Root::LinkOutside(to) => Some(Reason::RootIsLink { to: to.clone() }),
            Root::NotAFolder(by) => Some(Reason::RootIsFile { by: by.clone() }),
        };
        if let (Some(reason), Some(_)) = (reason, first) {
            refused.push(Refusal { path: path.clone(), reason, want: None, actual: None });
        }
        skipped.push(path);
    }
    let open = |want: &&Want| !skipped.iter().any(|root| want.path.is_within(root));
    (desired.wants.iter().filter(open).collect(), refused)
}

/// A root that leads to the canon's own skills, or to another target's mirror, needs nothing written, where neither of
/// the two is to hold something of its own.
fn leads_to_skills(root: &RepoPath, to: &RepoPath, desired: &Desired, actual: &Actual) -> bool {
    if desired.shaped.keys().any(|folder| folder.is_within(root) || folder.is_within(to)) {
        return false;
    }
    let is_skill = |want: &Want| want.path.below(root).is_some_and(|below| to.join(below) == want.canon);
    desired.wants.iter().any(is_skill) || leads_to_mirror(to, desired, actual)
}

/// Whether links lead, one after the other, to a real folder that this run mirrors into.
fn leads_to_mirror(to: &RepoPath, desired: &Desired, actual: &Actual) -> bool {
    let mut to = to;
    for _ in Target::ALL {
        let Some(target) = Target::ALL.iter().find(|target| target.skills_root() == *to) else { return false };
        match actual.root(*target) {
            Root::Folder => return desired.targets.contains(target),
            Root::LinkInside(next) => to = next,
            Root::LinkOutside(_) | Root::NotAFolder(_) => return false,
        }
    }
    false
}
