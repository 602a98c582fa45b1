//! Plans a sync of the mirrors from the desired content, the current content and the lock.

use super::desired::{DesiredFile, DesiredMirrors};
use super::lock::Lock;
use super::lock_drift::LockDrift;
use super::refusal::{Refusal, RefusalReason};
use super::state::{ComparedFile, ExtraFile, MirrorRoot, MirrorState, Owned, compare, is_owned};
use canonry_model::canon::{FileMode, FileState};
use canonry_model::edit::{Edit, OverwriteMode};
use canonry_text::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// The changes of a sync.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncPlan {
    /// Removals first, then writes, each sorted by path.
    pub edits: Vec<Edit>,
    /// Paths that stay unchanged although they differ from the desired state.
    pub refused: Vec<Refusal>,
    /// Files in the mirrors that are neither desired nor owned.
    pub unowned: Vec<RepoPath>,
    /// The number of files that already match.
    pub unchanged: usize,
    /// Paths of edits that overwrite user content; the caller backs it up first.
    pub forced: Vec<RepoPath>,
    /// The lock after the edits.
    pub lock: Lock,
    /// Refused paths that a forced sync would write or remove.
    pub forcible: BTreeSet<RepoPath>,
    /// Lines of the lock that are wrong although their files are right.
    pub lock_drift: LockDrift,
    /// Whether there is no lock, and no file of a mirror is what sync would write or wrote. What is missing then is no drift.
    pub never_synced: bool,
}

/// Plans a sync. `desired` and `state` are sorted by path.
pub fn plan(desired: &DesiredMirrors, state: &MirrorState, lock: &Lock, overwrite: OverwriteMode) -> SyncPlan {
    let mut planner = Planner {
        state,
        lock,
        overwrite,
        plan: SyncPlan::default(),
        entries: Vec::new(),
        removed: BTreeSet::new(),
        remaining_copies: BTreeMap::new(),
        overridden: &desired.overridden,
    };
    let (files, refused_roots) = reachable_files(desired, state);
    let (compared, extra) = compare(&files, state, lock);
    planner.refuse_roots(refused_roots);
    planner.remaining_copies = remaining_copies(&extra, desired, |file| planner.may_remove(file, desired));
    for file in &extra {
        planner.plan_extra_file(file, desired);
    }
    for group in compared.chunk_by(|a, b| a.desired.folder == b.desired.folder) {
        planner.plan_folder(group);
    }
    planner.finish()
}

struct Planner<'a> {
    state: &'a MirrorState,
    lock: &'a Lock,
    overwrite: OverwriteMode,
    plan: SyncPlan,
    /// The entries of the next lock.
    entries: Vec<(RepoPath, FileState)>,
    /// Paths that this plan removes.
    removed: BTreeSet<RepoPath>,
    /// Folders that cannot become links, each with the file that prevents it.
    remaining_copies: BTreeMap<RepoPath, RepoPath>,
    /// Folders with content that differs from the canon.
    overridden: &'a BTreeMap<RepoPath, RepoPath>,
}

impl Planner<'_> {
    fn refuse_roots(&mut self, refused: Vec<Refusal>) {
        let roots: Vec<RepoPath> = refused.iter().map(|r| r.path.clone()).collect();
        if !roots.is_empty() {
            let owned = self.lock.entries().iter().filter(|(p, _)| roots.iter().any(|root| p.is_within(root)));
            self.entries.extend(owned.cloned());
        }
        self.plan.refused.extend(refused);
    }

    fn may_remove(&self, file: &ExtraFile<'_>, desired: &DesiredMirrors) -> bool {
        let ExtraFile { path, current, owned } = file;
        let may_overwrite = is_owned(owned, *current) || self.may_force(path);
        !owned.is_empty() && !is_frozen(path, desired) && may_overwrite
    }

    fn plan_extra_file(&mut self, file: &ExtraFile<'_>, desired: &DesiredMirrors) {
        let ExtraFile { path, current, owned } = file;
        let in_remaining_copy = !self.remaining_copies.is_empty()
            && link_above(path, desired).is_some_and(|folder| self.remaining_copies.contains_key(&folder));
        if owned.is_empty() {
            self.plan.unowned.push((*path).clone());
        } else if self.may_remove(file, desired) && self.state.outside_checkout.contains(*path) {
            self.entries.extend_from_slice(owned);
            let reason = RefusalReason::outside_checkout(path);
            self.plan.refused.push(Refusal { path: (*path).clone(), reason, desired: None, current: Some(*current) });
        } else if self.may_remove(file, desired) && !in_remaining_copy {
            self.note_forced(path, *current, owned);
            self.removed.insert((*path).clone());
            self.plan.edits.push(Edit::Remove { path: (*path).clone(), was: *current });
        } else {
            self.entries.extend_from_slice(owned);
            if !is_frozen(path, desired) && !is_owned(owned, *current) {
                let copy = desired.copy_at(path).cloned();
                let in_canon = copy.is_some() || becomes_copies(path, desired);
                let reason = match (in_canon, self.state.unproved.contains(*path)) {
                    (true, false) => RefusalReason::Edited,
                    (true, true) => RefusalReason::Differs,
                    (false, false) => RefusalReason::EditedOrphan,
                    (false, true) => RefusalReason::DiffersOrphan,
                };
                self.plan.refused.push(Refusal {
                    path: (*path).clone(),
                    reason,
                    desired: copy,
                    current: Some(*current),
                });
            }
        }
    }

    fn plan_folder(&mut self, group: &[ComparedFile<'_>]) {
        let Some(first) = group.first() else { return };
        if first.current != Some(first.desired.state) && self.links_to_canon(first.desired) {
            self.plan.unchanged += group.len();
            return;
        }
        let may = self.overwrite == OverwriteMode::Force || self.lock.owns_below(&first.desired.folder);
        match group.iter().find(|file| !may && self.is_foreign(file)) {
            Some(foreign) => self.refuse_folder(group, foreign.desired),
            None => group.iter().for_each(|file| self.plan_file(file)),
        }
    }

    /// Checks whether the folder is a link to the canonical skill and needs no content of its own.
    fn links_to_canon(&self, desired: &DesiredFile) -> bool {
        let is_plain = !self.removed.contains(&desired.folder) && !self.overridden.contains_key(&desired.folder);
        let Some(to) = self.state.links.get(&desired.folder).filter(|_| is_plain) else {
            return false;
        };
        desired.path.below(&desired.folder).is_some_and(|below| to.join(below) == desired.canon)
    }

    fn is_foreign(&self, file: &ComparedFile<'_>) -> bool {
        match file.current {
            Some(state) => state != file.desired.state && file.owned.is_empty(),
            None => self.obstruction(file.desired).is_some(),
        }
    }

    fn refuse_folder(&mut self, group: &[ComparedFile<'_>], foreign: &DesiredFile) {
        for file in group {
            let desired = file.desired;
            if file.current == Some(desired.state) {
                self.plan.unchanged += 1;
                continue;
            }
            let reason = match (self.obstruction(desired), file.current) {
                (Some(by), None) => self.blocked(desired, by),
                (_, Some(_)) => RefusalReason::Occupied { canon: desired.canon.clone() },
                (None, None) => RefusalReason::FolderOccupied { other: foreign.path.clone() },
            };
            self.refuse(file, reason);
        }
    }

    fn plan_file(&mut self, file: &ComparedFile<'_>) {
        let ComparedFile { desired, current, owned } = file;
        let is_known = !owned.is_empty();
        match *current {
            Some(state) if state == desired.state => {
                self.plan.unchanged += 1;
                // A missing line is added: the file is what sync would write.
                self.entries.push((desired.path.clone(), desired.state));
            }
            Some(state) if self.may_replace(file, state) => self.write(file),
            Some(_) if is_known && self.state.unproved.contains(&desired.path) => {
                self.refuse(file, RefusalReason::Differs);
            }
            Some(_) if is_known => self.refuse(file, RefusalReason::Edited),
            Some(_) => self.refuse(file, RefusalReason::Occupied { canon: desired.canon.clone() }),
            None => match (self.remaining_copies.get(&desired.path).cloned(), self.obstruction(desired)) {
                (Some(by), _) => self.refuse(file, RefusalReason::CopyNotReplaceable { by }),
                (None, Some(by)) => self.refuse(file, self.blocked(desired, by)),
                (None, None) => self.write(file),
            },
        }
    }

    fn may_replace(&self, file: &ComparedFile<'_>, state: FileState) -> bool {
        is_owned(file.owned, state) || self.may_force(&file.desired.path)
    }

    /// A merge conflict between two owned states is resolved from the canon. The conflicted file is backed up, because it is
    /// not exactly what sync wrote.
    fn may_force(&self, path: &RepoPath) -> bool {
        self.overwrite == OverwriteMode::Force || self.state.unmerged.contains(path)
    }

    fn note_forced(&mut self, path: &RepoPath, was: FileState, owned: &Owned) {
        if !is_owned(owned, was) {
            self.plan.forced.push(path.clone());
        }
    }

    fn write(&mut self, file: &ComparedFile<'_>) {
        let desired = file.desired;
        if let Some(was) = file.current {
            self.note_forced(&desired.path, was, file.owned);
        }
        self.entries.push((desired.path.clone(), desired.state));
        self.plan.edits.push(Edit::Write {
            path: desired.path.clone(),
            content: desired.content.clone(),
            was: file.current,
            now: desired.state,
        });
    }

    fn refuse(&mut self, file: &ComparedFile<'_>, reason: RefusalReason) {
        self.entries.extend_from_slice(file.owned);
        self.plan.refused.push(Refusal {
            path: file.desired.path.clone(),
            reason,
            desired: Some(file.desired.clone()),
            current: file.current,
        });
    }

    /// Returns a file above or below the path that this plan does not remove.
    fn obstruction(&self, desired: &DesiredFile) -> Option<RepoPath> {
        let stays = |path: &RepoPath| !self.removed.contains(path);
        let mut at_or_above = std::iter::successors(Some(desired.path.clone()), RepoPath::parent);
        if !self.state.special.is_empty()
            && let Some(special) = at_or_above.find(|path| self.state.special.contains(path))
        {
            return Some(special);
        }
        let above = std::iter::successors(desired.path.parent(), RepoPath::parent)
            .find(|above| self.state.state(above).is_some() && stays(above));
        above.or_else(|| self.state.below(&desired.path).find(|path| stays(path)).cloned())
    }

    /// Returns why a file cannot be created: `by` is above or below it, or at its path.
    fn blocked(&self, desired: &DesiredFile, by: RepoPath) -> RefusalReason {
        let is_other_repository = self.state.state(&by).is_some_and(|state| state.mode == FileMode::Submodule);
        if self.state.special.contains(&by) {
            RefusalReason::BlockedBySpecialFile { by }
        } else if is_other_repository {
            RefusalReason::BlockedByRepository { by }
        } else if desired.path.is_within(&by) {
            RefusalReason::BlockedByFile { by }
        } else {
            RefusalReason::BlockedByFolder { by }
        }
    }

    fn finish(mut self) -> SyncPlan {
        let removal_first = |edit: &Edit| (edit.now().is_some(), edit.path().clone());
        if !self.plan.edits.is_sorted_by_key(removal_first) {
            self.plan.edits.sort_by_cached_key(removal_first);
        }
        self.plan.refused.sort_by(|a, b| a.path.cmp(&b.path));
        // A file in the way is reported once.
        let in_the_way = |refusal: &Refusal| match &refusal.reason {
            RefusalReason::BlockedByFile { by } => Some(by.clone()),
            _ => None,
        };
        let in_the_way: BTreeSet<RepoPath> = self.plan.refused.iter().filter_map(in_the_way).collect();
        self.plan.unowned.retain(|path| !in_the_way.contains(path));
        self.plan.lock = Lock::new(self.entries);
        self.plan
    }
}

/// Returns the folders that should become links but contain a file that must stay, each with the first such file. A
/// partial skill is useless, so nothing in these folders is removed.
fn remaining_copies(
    extra: &[ExtraFile<'_>],
    desired: &DesiredMirrors,
    may_remove: impl Fn(&ExtraFile<'_>) -> bool,
) -> BTreeMap<RepoPath, RepoPath> {
    let mut copies = BTreeMap::new();
    if desired.links.is_empty() {
        return copies;
    }
    for file in extra.iter().filter(|file| !may_remove(file)) {
        if let Some(folder) = link_above(file.path, desired) {
            copies.entry(folder).or_insert_with(|| file.path.clone());
        }
    }
    copies
}

/// Returns the folder above a path that should become a link.
fn link_above(path: &RepoPath, desired: &DesiredMirrors) -> Option<RepoPath> {
    std::iter::successors(path.parent(), RepoPath::parent).find(|folder| desired.links.contains(folder))
}

/// Checks whether a link should be replaced by copies.
fn becomes_copies(path: &RepoPath, desired: &DesiredMirrors) -> bool {
    desired.files.iter().any(|file| file.folder == *path && file.path != *path)
}

/// Checks whether a path is in a mirror of a skill that is skipped as a whole.
pub fn is_frozen(path: &RepoPath, desired: &DesiredMirrors) -> bool {
    let mut above = std::iter::successors(Some(path.clone()), RepoPath::parent);
    !desired.frozen.is_empty() && above.any(|folder| desired.frozen.binary_search(&folder).is_ok())
}

/// Returns the desired files whose mirror root is a real folder, in path order, and a refusal for each other root.
fn reachable_files<'a>(desired: &'a DesiredMirrors, state: &MirrorState) -> (Vec<&'a DesiredFile>, Vec<Refusal>) {
    let mut refused = Vec::new();
    let mut skipped: Vec<RepoPath> = Vec::new();
    for (target, root) in &state.roots {
        let path = target.skills_root();
        let first = desired.files.iter().find(|file| file.path.is_within(&path));
        let reason = match root {
            MirrorRoot::Folder => continue,
            MirrorRoot::LinkInside(to) if needs_no_files(&path, to, desired, state) => None,
            MirrorRoot::LinkInside(to) => Some(RefusalReason::RootIsLink { to: to.to_display() }),
            MirrorRoot::LinkOutside(to) => Some(RefusalReason::RootIsLink { to: to.clone() }),
            MirrorRoot::NotAFolder(by) => Some(RefusalReason::RootIsFile { by: by.clone() }),
            MirrorRoot::Submodule(by) => Some(RefusalReason::RootIsSubmodule { by: by.clone() }),
        };
        if let (Some(reason), Some(_)) = (reason, first) {
            refused.push(Refusal { path: path.clone(), reason, desired: None, current: None });
        }
        skipped.push(path);
    }
    let is_reachable = |file: &&DesiredFile| !skipped.iter().any(|root| file.path.is_within(root));
    (desired.files.iter().filter(is_reachable).collect(), refused)
}

/// Checks whether a linked root already shows the desired files: it leads to the canonical skills or to another mirror, and
/// neither of the two has content of its own.
fn needs_no_files(root: &RepoPath, to: &RepoPath, desired: &DesiredMirrors, state: &MirrorState) -> bool {
    if desired.overridden.keys().any(|folder| folder.is_within(root) || folder.is_within(to)) {
        return false;
    }
    let is_skill = |file: &DesiredFile| file.path.below(root).is_some_and(|below| to.join(below) == file.canon);
    desired.files.iter().any(is_skill) || leads_to_mirror(to, desired, state)
}

/// Checks whether a chain of links ends at the real folder of a mirror that this run updates.
fn leads_to_mirror(to: &RepoPath, desired: &DesiredMirrors, state: &MirrorState) -> bool {
    let mut to = to;
    for _ in 0..=state.roots.len() {
        let Some(target) = state.roots.keys().find(|target| target.skills_root() == *to) else { return false };
        match state.root(*target) {
            MirrorRoot::Folder => return desired.targets.contains(target),
            MirrorRoot::LinkInside(next) => to = next,
            MirrorRoot::LinkOutside(_) | MirrorRoot::NotAFolder(_) | MirrorRoot::Submodule(_) => return false,
        }
    }
    false
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
