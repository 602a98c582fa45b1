//! What to do, given what the mirrors should hold, what they hold, and what of it is ours.

use super::compare::{ComparedFile, ExtraFile, Owned, compare, is_owned};
use super::convert::{becomes_copies, held, is_frozen, link_above};
use super::desired::{DesiredFile, DesiredMirrors};
use super::lock::Lock;
use super::refusal::{Refusal, RefusalReason};
use super::roots::reachable;
use super::state::MirrorState;
use crate::canon::FileState;
use crate::edit::{Edit, OverwriteMode};
use crate::syntax::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// What a sync does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncPlan {
    /// Changes, removals first, each part sorted by path.
    pub edits: Vec<Edit>,
    /// Paths that are left as they are although they differ from what is wanted.
    pub refused: Vec<Refusal>,
    /// Files in the mirrors that are neither wanted nor ours.
    pub unowned: Vec<RepoPath>,
    /// Wanted files that stand as they should.
    pub unchanged: usize,
    /// Edits among them that replace or remove what someone else wrote, which must be kept aside first.
    pub forced: Vec<RepoPath>,
    /// The lock once the edits are applied.
    pub lock: Lock,
}

/// Decides. `desired` and `actual` are sorted by path; `lock` is what is ours.
pub fn plan(desired: &DesiredMirrors, actual: &MirrorState, lock: &Lock, consent: OverwriteMode) -> SyncPlan {
    let mut run = Run {
        actual,
        lock,
        consent,
        decision: SyncPlan::default(),
        kept: Vec::new(),
        gone: BTreeSet::new(),
        held: BTreeMap::new(),
        shaped: &desired.overridden,
    };
    let (wants, refused_roots) = reachable(desired, actual);
    let (aligned, leftovers) = compare(&wants, actual, lock);
    run.refuse_roots(refused_roots);
    run.held = held(&leftovers, desired, |leftover| run.gives_way(leftover, desired));
    for leftover in &leftovers {
        run.leftover(leftover, desired);
    }
    for group in aligned.chunk_by(|a, b| a.want.folder == b.want.folder) {
        run.folder(group);
    }
    run.finish()
}

struct Run<'a> {
    actual: &'a MirrorState,
    lock: &'a Lock,
    consent: OverwriteMode,
    decision: SyncPlan,
    /// The next lock.
    kept: Vec<(RepoPath, FileState)>,
    /// Paths that this run removes.
    gone: BTreeSet<RepoPath>,
    /// Folders that cannot become links yet, and the file that keeps them from it.
    held: BTreeMap<RepoPath, RepoPath>,
    /// Folders that hold something of their own.
    shaped: &'a BTreeMap<RepoPath, RepoPath>,
}

impl Run<'_> {
    fn refuse_roots(&mut self, refused: Vec<Refusal>) {
        let roots: Vec<RepoPath> = refused.iter().map(|r| r.path.clone()).collect();
        if !roots.is_empty() {
            let ours = self.lock.entries().iter().filter(|(p, _)| roots.iter().any(|root| p.is_within(root)));
            self.kept.extend(ours.cloned());
        }
        self.decision.refused.extend(refused);
    }

    fn gives_way(&self, leftover: &ExtraFile<'_>, desired: &DesiredMirrors) -> bool {
        let ExtraFile { path, actual, ours } = leftover;
        let may_go = is_owned(ours, *actual) || self.may_force(path);
        !ours.is_empty() && !is_frozen(path, desired) && may_go
    }

    fn leftover(&mut self, leftover: &ExtraFile<'_>, desired: &DesiredMirrors) {
        let ExtraFile { path, actual, ours } = leftover;
        let is_held = !self.held.is_empty() && link_above(path, desired).is_some_and(|f| self.held.contains_key(&f));
        if ours.is_empty() {
            self.decision.unowned.push((*path).clone());
        } else if self.gives_way(leftover, desired) && !is_held {
            self.note_forced(path, *actual, ours);
            self.gone.insert((*path).clone());
            self.decision.edits.push(Edit::Remove { path: (*path).clone(), was: *actual });
        } else {
            self.kept.extend_from_slice(ours);
            if !is_frozen(path, desired) && !is_owned(ours, *actual) {
                let want = desired.copy_at(path).cloned();
                let stands = want.is_some() || becomes_copies(path, desired);
                let reason = if stands { RefusalReason::Edited } else { RefusalReason::EditedOrphan };
                self.decision.refused.push(Refusal {
                    path: (*path).clone(),
                    reason,
                    desired: want,
                    current: Some(*actual),
                });
            }
        }
    }

    fn folder(&mut self, group: &[ComparedFile<'_>]) {
        let Some(first) = group.first() else { return };
        if first.actual != Some(first.want.state) && self.stands_for_canon(first.want) {
            self.decision.unchanged += group.len();
            return;
        }
        let may = self.consent == OverwriteMode::Force || self.lock.owns_below(&first.want.folder);
        match group.iter().find(|aligned| !may && self.is_foreign(aligned)) {
            Some(foreign) => self.refuse_folder(group, foreign.want),
            None => group.iter().for_each(|aligned| self.want(aligned)),
        }
    }

    /// Whether the folder is a link to the skill in the canon itself, and is to hold nothing else.
    fn stands_for_canon(&self, want: &DesiredFile) -> bool {
        let is_plain = !self.gone.contains(&want.folder) && !self.shaped.contains_key(&want.folder);
        let Some(to) = self.actual.links.get(&want.folder).filter(|_| is_plain) else {
            return false;
        };
        want.path.below(&want.folder).is_some_and(|below| to.join(below) == want.canon)
    }

    fn is_foreign(&self, aligned: &ComparedFile<'_>) -> bool {
        match aligned.actual {
            Some(state) => state != aligned.want.state && aligned.ours.is_empty(),
            None => self.in_the_way(aligned.want).is_some(),
        }
    }

    fn refuse_folder(&mut self, group: &[ComparedFile<'_>], foreign: &DesiredFile) {
        for aligned in group {
            let want = aligned.want;
            if aligned.actual == Some(want.state) {
                self.decision.unchanged += 1;
                continue;
            }
            let reason = match (self.in_the_way(want), aligned.actual) {
                (Some(by), None) => RefusalReason::Blocked { by },
                (_, Some(_)) => RefusalReason::Occupied { canon: want.canon.clone() },
                (None, None) => RefusalReason::FolderOccupied { other: foreign.path.clone() },
            };
            self.refuse(aligned, reason);
        }
    }

    fn want(&mut self, aligned: &ComparedFile<'_>) {
        let ComparedFile { want, actual, ours } = aligned;
        let owned = !ours.is_empty();
        match *actual {
            Some(state) if state == want.state => {
                self.decision.unchanged += 1;
                if owned {
                    self.kept.push((want.path.clone(), want.state));
                }
            }
            Some(state) if self.may_replace(aligned, state) => self.write(aligned),
            Some(_) if owned => self.refuse(aligned, RefusalReason::Edited),
            Some(_) => self.refuse(aligned, RefusalReason::Occupied { canon: want.canon.clone() }),
            None => match (self.held.get(&want.path).cloned(), self.in_the_way(want)) {
                (Some(by), _) => self.refuse(aligned, RefusalReason::CopyNotReplaceable { by }),
                (None, Some(by)) => self.refuse(aligned, RefusalReason::Blocked { by }),
                (None, None) => self.write(aligned),
            },
        }
    }

    /// What is ours may be, and what differs from the canon by its mode alone.
    fn may_replace(&self, aligned: &ComparedFile<'_>, state: FileState) -> bool {
        let same_content = state.id == aligned.want.state.id && !aligned.ours.is_empty();
        is_owned(aligned.ours, state) || same_content || self.may_force(&aligned.want.path)
    }

    /// Where a merge has left the conflict of two states of ours, it is resolved in the canon; like all that is not ours to
    /// the letter, what stands there is kept aside.
    fn may_force(&self, path: &RepoPath) -> bool {
        self.consent == OverwriteMode::Force || self.actual.unmerged.contains(path)
    }

    fn note_forced(&mut self, path: &RepoPath, was: FileState, ours: &Owned) {
        if !is_owned(ours, was) {
            self.decision.forced.push(path.clone());
        }
    }

    fn write(&mut self, aligned: &ComparedFile<'_>) {
        let want = aligned.want;
        if let Some(was) = aligned.actual.filter(|was| was.id != want.state.id) {
            self.note_forced(&want.path, was, aligned.ours);
        }
        self.kept.push((want.path.clone(), want.state));
        self.decision.edits.push(Edit::Write {
            path: want.path.clone(),
            content: want.content.clone(),
            was: aligned.actual,
            now: want.state,
        });
    }

    fn refuse(&mut self, aligned: &ComparedFile<'_>, reason: RefusalReason) {
        self.kept.extend_from_slice(aligned.ours);
        let (path, want) = (aligned.want.path.clone(), Some(aligned.want.clone()));
        self.decision.refused.push(Refusal { path, reason, desired: want, current: aligned.actual });
    }

    /// A file above the path, or files below it, that this run does not remove.
    fn in_the_way(&self, want: &DesiredFile) -> Option<RepoPath> {
        let stays = |path: &RepoPath| !self.gone.contains(path);
        let above = std::iter::successors(want.path.parent(), RepoPath::parent)
            .find(|above| self.actual.state(above).is_some() && stays(above));
        above.or_else(|| self.actual.below(&want.path).find(|path| stays(path)).cloned())
    }

    fn finish(mut self) -> SyncPlan {
        let removal_first = |edit: &Edit| (edit.now().is_some(), edit.path().clone());
        if !self.decision.edits.is_sorted_by_key(removal_first) {
            self.decision.edits.sort_by_cached_key(removal_first);
        }
        self.decision.refused.sort_by(|a, b| a.path.cmp(&b.path));
        self.decision.lock = Lock::new(self.kept);
        self.decision
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
